import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { errorText } from '#lib/apiserver/machinery/text/error-text.ts';
import { ConfigurationError } from '#lib/errors.ts';
import { type ClusterData, type ClusterIdentity, dataFileText } from './data-file-format.ts';

/** Minimum delay before changes are written, in milliseconds. Because of the delay, many changes need only one write. */
const DELAY_MS = 500;

/**
 * After a slow write of the file, the delay before the next write is this many times as long as the write. The process handles no
 * requests during a write.
 */
const REST = 10;

const LOST =
  'the mark of this cluster beside it is gone: it was removed, or another process considered this cluster dead';

const objectsOf = (server: ApiServer): ClusterData['objects'] =>
  Object.values(server.dump()).flat() as ClusterData['objects'];

/** Replaces a file atomically. A temporary file that a killed process left behind is overwritten. */
const replace = (path: string, text: string): void => {
  const beside = `${path}.tmp`;
  rmSync(beside, { force: true });
  try {
    const file = openSync(beside, 'wx', 0o600);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
};

/**
 * Keeps a file up to date with the stored objects.
 *
 * Guarantees: the file is always complete, and all its objects are from the same time. For this purpose, each write makes a new
 * file in the same folder and renames it. After `close` with `isKept`, the file contains all changes. After a crash, the changes
 * of the last half second may be missing. If a write of the file takes long, this period is ten times as long as the write.
 */
export class DataFile {
  readonly #path: string;
  readonly #server: ApiServer;
  readonly #identity: ClusterIdentity;
  readonly #isOurs: () => boolean;
  readonly #onError: (error: unknown) => void;
  #written = '';
  #delayMs = DELAY_MS;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    path: string,
    given: {
      readonly server: ApiServer;
      readonly identity: ClusterIdentity;
      /** Whether this cluster still owns the file. Another cluster may have claimed the file. */
      readonly isOurs: () => boolean;
      /** Called when the file cannot be written. The next change starts another attempt. */
      readonly onError: (error: unknown) => void;
    },
  ) {
    this.#path = path;
    this.#server = given.server;
    this.#identity = given.identity;
    this.#isOurs = given.isOurs;
    this.#onError = given.onError;
  }

  /** Schedules a write of the file, if the stored objects have changed. */
  touch(): void {
    if (this.#server.resourceVersion === this.#written) return;
    this.#timer ??= setTimeout(() => this.#tryToWrite(), this.#delayMs).unref();
  }

  /**
   * Stops writing the file.
   *
   * @param options.isKept - whether to write changes that are not in the file; if false, they are discarded
   * @throws {ConfigurationError} when the file cannot be written
   */
  close({ isKept }: { readonly isKept: boolean }): void {
    clearTimeout(this.#timer);
    const isWritten = this.#server.resourceVersion === this.#written;
    this.#written = this.#server.resourceVersion;
    if (isKept && !isWritten) this.#write();
  }

  #tryToWrite(): void {
    this.#timer = undefined;
    try {
      this.#write();
    } catch (error) {
      this.#onError(error);
    }
  }

  #write(): void {
    const { resourceVersion } = this.#server;
    const identity = this.#identity;
    const begin = performance.now();
    try {
      if (!this.#isOurs()) throw new Error(LOST);
      const data: ClusterData = {
        identity,
        resourceVersion: Number(resourceVersion),
        objects: objectsOf(this.#server),
      };
      replace(this.#path, dataFileText(data));
    } catch (cause) {
      throw new ConfigurationError(
        `Cannot write the data file ${this.#path}: ${errorText(cause)}; it still has the objects that were written before`,
        { cause },
      );
    }
    this.#written = resourceVersion;
    this.#delayMs = Math.max(DELAY_MS, REST * (performance.now() - begin));
  }
}
