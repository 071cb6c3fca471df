import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Endings } from '#lib/process/endings.ts';
import { type ClusterData, readDataFile } from './data-file-format.ts';
import { claimFile } from './file-claim.ts';

/** The opened data file of a cluster. */
export interface KeptFile {
  readonly path: string;
  /** Whether this cluster still owns the file. Another cluster may have claimed the file. */
  readonly isOurs: () => boolean;
  /** The contents of the file; `undefined` when the file did not exist. */
  readonly data: ClusterData | undefined;
}

const canonicalPath = async (path: string): Promise<string> => {
  const absolute = resolve(path);
  const folder = await realpath(dirname(absolute)).catch(() => dirname(absolute));
  return realpath(absolute).catch(() => join(folder, basename(absolute)));
};

/**
 * Claims a data file for this cluster, and reads it.
 *
 * @throws {ConfigurationError} when another cluster uses the file, the file cannot be read or is damaged, or its folder does not
 * exist or is not writable
 */
export const openKeptFile = async (given: string, endings: Endings): Promise<KeptFile> => {
  const path = await canonicalPath(given);
  const claim = await claimFile(path);
  endings.add(() => claim.release());
  return { path, isOurs: () => claim.isHeld(), data: await readDataFile(path) };
};
