import { setImmediate } from 'node:timers/promises';
import { Gzip } from 'fflate';

/** Between two of these parts, the process handles signals. */
const PART = 2 ** 22;

/**
 * Compresses by fflate, and not by zlib of Node: zlib gives other bytes on other processors and in other versions of Node, and names the
 * operating system. The output of fflate depends on its input alone.
 *
 * @param signal - ends the work early
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
