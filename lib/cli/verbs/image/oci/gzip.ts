import { setImmediate } from 'node:timers/promises';
import { Gzip } from 'fflate';

/** The size of the parts that are compressed, in bytes. Between two parts, the process can handle signals. */
const PART = 2 ** 22;

/**
 * Compresses bytes with fflate. Its output depends only on the input. The output of zlib of Node.js also depends on the
 * processor, the version of Node.js and the operating system.
 *
 * @param signal - aborts the work
 * @returns a gzip file without name and time
 */
export const gzipOf = async (bytes: Uint8Array, signal?: AbortSignal): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  const gzip = new Gzip({ level: 6, mtime: 0 }, (chunk) => chunks.push(chunk));
  for (let begin = 0; begin === 0 || begin < bytes.length; begin += PART) {
    signal?.throwIfAborted();
    gzip.push(bytes.subarray(begin, begin + PART), begin + PART >= bytes.length);
    await setImmediate();
  }
  return Buffer.concat(chunks);
};
