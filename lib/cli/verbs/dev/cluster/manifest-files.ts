import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigurationError } from '#lib/errors.ts';
import { isManifestFile, manifestFilesIn, readManifests } from '../../../project/manifests.ts';
import { shownPath } from '../../../project/project-file.ts';
import type { CliContext } from '../../../shell/context.ts';
import type { FileHashes } from '../messages.ts';
import type { DevOutput } from '../output.ts';
import { hashOf } from '../sources.ts';
import { applyManifest, discoveryOf, type ManifestTarget } from './apply-manifests.ts';
import type { DevCluster } from './dev-cluster.ts';

const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

/**
 * Finds the files of `-f`. A missing path that ends with `.yaml`, `.yml` or `.json` is accepted, because `npm run synth` may
 * create the file later.
 *
 * @param paths - files and folders that the user typed
 * @throws {ConfigurationError} when a path is `-`, any other path is missing, or a folder has no manifests
 */
export const findManifestFiles = async (
  { cwd }: Pick<CliContext, 'cwd'>,
  paths: readonly string[],
): Promise<readonly string[]> => {
  if (paths.includes('-'))
    throw new ConfigurationError(
      '-f is "-": stdin can only be read once, and dev applies files again whenever they are saved; name files or folders',
    );
  const filesOf = async (path: string): Promise<readonly string[]> => {
    const whole = resolve(cwd, path);
    return isManifestFile(path) && !isThere(whole) ? [whole] : manifestFilesIn(whole, path);
  };
  const found = await Promise.all(paths.map(filesOf));
  return found.flat();
};

/** Options for {@link ManifestFiles}. */
export interface ManifestFilesOptions {
  /** Files from {@link findManifestFiles}. */
  readonly files: readonly string[];
  readonly dev: Pick<DevCluster, 'cluster' | 'isOurs'>;
  readonly output: DevOutput;
}

/**
 * Applies manifests at the start and after each save. A file waits from the start, or from a save, until it is applied without
 * a mistake, or is missing.
 */
export class ManifestFiles {
  readonly #context: CliContext;
  readonly #options: ManifestFilesOptions;
  readonly #waiting: Set<string>;
  #hashes: FileHashes;

  constructor(context: CliContext, options: ManifestFilesOptions) {
    this.#context = context;
    this.#options = options;
    this.#waiting = new Set(options.files);
    this.#hashes = {};
  }

  /** Returns the hash of each file that `apply` has read, as of its last read. */
  hashes(): FileHashes {
    return this.#hashes;
  }

  /**
   * Marks saved manifests as waiting.
   *
   * @returns whether a manifest was saved
   */
  saved(files: readonly string[]): boolean {
    const ours = files.filter((file) => this.#options.files.includes(file));
    for (const file of ours) this.#waiting.add(file);
    return ours.length > 0;
  }

  /**
   * Applies the waiting files and prints the results. A mistake in one file does not stop the other files. A file with a mistake
   * waits until the next call, because a new CRD may make it valid.
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
    const { output } = this.#options;
    const shown = shownPath(file, this.#context.cwd);
    if (!isThere(file)) {
      output.missing(shown);
      return true;
    }
    try {
      for (const manifest of await readManifests([file], this.#context))
        output.applied(await applyManifest(target, manifest), shown);
      return true;
    } catch (error) {
      output.error(error);
      return false;
    }
  }
}
