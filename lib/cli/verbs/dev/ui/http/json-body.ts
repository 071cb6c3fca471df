import type { IncomingMessage } from 'node:http';
import type { RequestRefusal } from './request-rules.ts';

/** Maximum size of a request body, in bytes. */
export const MAX_BODY = 1_048_576;

/** The parsed body of a request, or the reason why it is refused. */
export type JsonBody = { readonly value: unknown } | { readonly refusal: RequestRefusal };

const refused = (code: number, text: string): JsonBody => ({ refusal: { code, text } });

/** Reads the body of a request, which must be JSON of limited size. */
export const readJsonBody = async (request: IncomingMessage): Promise<JsonBody> => {
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? ''))
    return refused(415, 'Refused: the content type must be application/json.');
  const tooLarge = refused(413, `Refused: the request has more than ${MAX_BODY} bytes; send fewer objects at a time.`);
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY) return tooLarge;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) return tooLarge;
    chunks.push(chunk);
  }
  try {
    return { value: JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown };
  } catch {
    return refused(400, 'Refused: the request is not JSON.');
  }
};
