import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { blobDigestOf } from './blobs.ts';
import { gzipOf } from './gzip.ts';

const unzipped = promisify(gunzip);

/** A part of the name of a cached layer, because another version of the compressor may give other bytes. */
const COMPRESSOR = 'fflate-0.8';

/** Writes a file to the cache for later builds. A cache that cannot be written is not an error. */
export const keepFile = async (folder: string, name: string, bytes: Uint8Array): Promise<void> => {
  try {
    await mkdir(folder, { recursive: true });
    const partial = join(folder, `${name}.${process.pid}`);
    await writeFile(partial, bytes);
    await rename(partial, join(folder, name));
  } catch {
    // Without the cache, the next build makes the file again.
  }
};

const fromCache = async (path: string, diffId: string): Promise<Buffer | undefined> => {
  try {
    const bytes = await readFile(path);
    return blobDigestOf(await unzipped(bytes)) === diffId ? bytes : undefined;
  } catch {
    return undefined;
  }
};

/** A compressed layer. */
export interface ImageLayer {
  readonly bytes: Buffer;
  /** The digest of the uncompressed layer. */
  readonly diffId: string;
}

/**
 * Compresses a layer, or takes the result of an earlier build from the cache. The compression of a layer that contains Node.js
 * takes several seconds.
 *
 * @param cache - the folder of the cache; its files are checked before use
 */
export const compressedLayer = async (tar: Uint8Array, cache: string, signal?: AbortSignal): Promise<ImageLayer> => {
  const diffId = blobDigestOf(tar);
  const name = `${diffId.replace('sha256:', '')}.${COMPRESSOR}.gz`;
  const kept = await fromCache(join(cache, name), diffId);
  if (kept !== undefined) return { bytes: kept, diffId };
  const bytes = await gzipOf(tar, signal);
  await keepFile(cache, name, bytes);
  return { bytes, diffId };
};
