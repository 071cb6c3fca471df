import type { Dispatcher } from 'undici';
import { TooLargeError } from './malformed.ts';

/**
 * The longest answer that is taken, in bytes. JSON needs several times its length in memory, so an endless answer would end the
 * process before its time is over; a page of a list that is longer comes again in smaller pages.
 */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/**
 * Reads a whole body as UTF-8; what is none is replaced by U+FFFD.
 *
 * @param request - what was asked, such as `list pods`; it starts the message
 * @throws TooLargeError when it is longer than 64 MiB
 */
export const textOf = async (request: string, body: Dispatcher.ResponseData['body']): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new TooLargeError(`Cannot ${request}: the answer is longer than 64 MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes).toString('utf8');
};
