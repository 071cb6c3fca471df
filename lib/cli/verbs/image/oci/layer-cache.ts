import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { digestOf } from './blobs.ts';
import { gzipOf } from './gzip.ts';

const unzipped = promisify(gunzip);

/** Part of the name of a cached layer: another version of the compressor may give other bytes. */
const COMPRESSOR = 'fflate-0.8';

/** Keeps a file for later builds. A cache that cannot be written is no error. */
export const keepFile = async (folder: string, name: string, bytes: Uint8Array): Promise<void> => {
  try {
    await mkdir(folder, { recursive: true });
    const partial = join(folder, `${name}.${process.pid}`);
    await writeFile(partial, bytes);
    await rename(partial, join(folder, name));
  } catch {
    // The file is made again by the next build.
  }
};

const fromCache = async (path: string, diffId: string): Promise<Buffer | undefined> => {
  try {
    const bytes = await readFile(path);
    return digestOf(await unzipped(bytes)) === diffId ? bytes : undefined;
  } catch {
    return undefined;
  }
};

/** A compressed layer. */
export interface Layer {
  readonly bytes: Buffer;
  /** The digest of the layer before it was compressed. */
  readonly diffId: string;
}

/**
 * Compresses a layer, or takes the result of an earlier build: Node alone takes several seconds.
 *
 * @param cache - folder; what is in it is checked before use
 */
export const compressedLayer = async (tar: Uint8Array, cache: string, signal?: AbortSignal): Promise<Layer> => {
  const diffId = digestOf(tar);
  const name = `${diffId.replace('sha256:', '')}.${COMPRESSOR}.gz`;
  const kept = await fromCache(join(cache, name), diffId);
  if (kept !== undefined) return { bytes: kept, diffId };
  const bytes = await gzipOf(tar, signal);
  await keepFile(cache, name, bytes);
  return { bytes, diffId };
};
