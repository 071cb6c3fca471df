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

/** Manifests that are applied at the start, and whenever they are saved. */
export class ManifestFiles {
  readonly #context: CliContext;
  readonly #options: ManifestFilesOptions;
  /** What is not in the cluster as it is in the file. */
  readonly #waiting: Set<string>;
  #hashes: FileHashes;

  constructor(context: CliContext, options: ManifestFilesOptions) {
    this.#context = context;
    this.#options = options;
    this.#waiting = new Set(options.files);
    this.#hashes = {};
  }

  /** What was read of each. */
  hashes(): FileHashes {
    return this.#hashes;
  }

  /**
   * Files were saved: those that are manifests wait to be applied.
   *
   * @returns whether there are any
   */
  saved(files: readonly string[]): boolean {
    const ours = files.filter((file) => this.#options.files.includes(file));
    for (const file of ours) this.#waiting.add(file);
    return ours.length > 0;
  }

  /**
   * Applies those that wait, and tells what came of it. A mistake in one does not keep others back; it waits on, as the definition that
   * it needs may come.
   */
  async apply(): Promise<void> {
    const { dev, files } = this.#options;
    const target = { ...dev, discovery: discoveryOf(dev.cluster) };
    for (const file of files.filter((one) => this.#waiting.has(one))) {
      this.#hashes = { ...this.#hashes, [file]: hashOf(file) };
      if (await this.#isApplied(file, target)) this.#waiting.delete(file);
    }
  }

  async #isApplied(file: string, target: ManifestTarget): Promise<boolean> {
    const { telling } = this.#options;
    const shown = shownPath(file, this.#context.cwd);
    if (!isThere(file)) {
      telling.missing(shown);
      return true;
    }
    try {
      for (const manifest of await readManifests([file], this.#context))
        telling.applied(await applyManifest(target, manifest), shown);
      return true;
    } catch (error) {
      telling.error(error);
      return false;
    }
  }
}
