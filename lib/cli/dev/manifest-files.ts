import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigurationError } from '#lib/errors.ts';
import type { CliContext } from '../context.ts';
import { isManifestFile, manifestFilesIn, readManifests } from '../manifests.ts';
import { shownPath } from '../project-file.ts';
import { applyManifest, discoveryOf, type ManifestTarget } from './apply-manifests.ts';
import type { DevCluster } from './dev-cluster.ts';
import type { FileHashes } from './messages.ts';
import { hashOf } from './sources.ts';
import type { Telling } from './telling.ts';

const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

/**
 * The files of `-f`. One that is not there yet is waited for: `npm run synth` makes it.
 *
 * @param paths - files and folders, as they were typed
 * @throws {ConfigurationError} when a folder is not there, or has no manifests
 */
export const findManifestFiles = async (
  { cwd }: Pick<CliContext, 'cwd'>,
  paths: readonly string[],
): Promise<readonly string[]> => {
  if (paths.includes('-'))
    throw new ConfigurationError(
      '-f is "-": stdin can be read once, and what dev applies is applied whenever it is saved; name files or folders',
    );
  const filesOf = async (path: string): Promise<readonly string[]> => {
    const whole = resolve(cwd, path);
    return isManifestFile(path) && !isThere(whole) ? [whole] : manifestFilesIn(whole, path);
  };
  const found = await Promise.all(paths.map(filesOf));
  return found.flat();
};

/** What manifests are applied with. */
export interface ManifestFilesOptions {
  /** As {@link findManifestFiles} found them. */
  readonly files: readonly string[];
  readonly dev: Pick<DevCluster, 'cluster' | 'isOurs'>;
  readonly telling: Telling;
}

/** Manifests that are applied at the start, and whenever one of them is saved. */
export class ManifestFiles {
  readonly #context: CliContext;
  readonly #options: ManifestFilesOptions;
  #hashes: FileHashes = {};

  constructor(context: CliContext, options: ManifestFilesOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** What was read of each. */
  hashes(): FileHashes {
    return this.#hashes;
  }

  has(file: string): boolean {
    return this.#options.files.includes(file);
  }

  /** Applies all of them, and tells what came of it; a mistake in one does not keep others back. */
  async apply(): Promise<void> {
    this.#hashes = Object.fromEntries(this.#options.files.map((file) => [file, hashOf(file)]));
    const { dev, files } = this.#options;
    const target = { ...dev, discovery: discoveryOf(dev.cluster) };
    for (const file of files) await this.#applyFile(file, target);
  }

  async #applyFile(file: string, target: ManifestTarget): Promise<void> {
    const { telling } = this.#options;
    if (!isThere(file)) return telling.missing(shownPath(file, this.#context.cwd));
    try {
      for (const manifest of await readManifests([file], this.#context))
        telling.applied(await applyManifest(target, manifest), shownPath(file, this.#context.cwd));
    } catch (error) {
      telling.error(error);
    }
  }
}
