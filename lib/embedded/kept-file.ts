import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type ClusterData, readDataFile } from './data-file-format.ts';
import type { Endings } from './endings.ts';
import { claimFile } from './file-claim.ts';

/** The file that a cluster is kept in. */
export interface KeptFile {
  readonly path: string;
  /** False when another cluster uses it by now. */
  readonly isOurs: () => boolean;
  /** What it held; absent when there was none. */
  readonly data: ClusterData | undefined;
}

/** The one path of a file, whatever links lead to it: who uses it by another name must be seen. */
const canonicalPath = async (path: string): Promise<string> => {
  const absolute = resolve(path);
  const folder = await realpath(dirname(absolute)).catch(() => dirname(absolute));
  return realpath(absolute).catch(() => join(folder, basename(absolute)));
};

/**
 * Takes a file for this cluster alone, and reads it.
 *
 * @throws {ConfigurationError} when another cluster has it, it is damaged, or its folder cannot be written to
 */
export const openKeptFile = async (given: string, endings: Endings): Promise<KeptFile> => {
  const path = await canonicalPath(given);
  const claim = await claimFile(path);
  endings.add(() => claim.release());
  return { path, isOurs: () => claim.isHeld(), data: await readDataFile(path) };
};
