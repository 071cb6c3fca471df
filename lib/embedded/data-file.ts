import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { ConfigurationError } from '#lib/errors.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { type ClusterData, type ClusterIdentity, FORMAT } from './data-file-format.ts';
import { errorText } from './error-text.ts';

/** How long after a change is written, in milliseconds: many changes come together. */
const DELAY_MS = 500;

/** Nobody is answered while it is written: that takes at most one part in so many of the time. */
const REST = 10;

const LOST = 'the mark of this cluster beside it is gone: somebody removed it, or took this cluster for dead';

/** Everything that a server has stored. */
const objectsOf = (server: ApiServer): ClusterData['objects'] =>
  Object.values(server.dump()).flat() as ClusterData['objects'];

/** Puts a text in the place of a file at once. What a killed process has left of it beside the file is overwritten by the next. */
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
 * Keeps a file up to date with what is stored.
 *
 * Guarantees: the file is always whole, as of one moment: it is written beside and then put in its place. After `close` it has
 * everything; after a crash of the process, all but the last half second, or what ten times the writing of it takes.
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
      /** False when another cluster uses the file by now. */
      readonly isOurs: () => boolean;
      /** Called when it cannot be written; it is tried again with the next change. */
      readonly onError: (error: unknown) => void;
    },
  ) {
    this.#path = path;
    this.#server = given.server;
    this.#identity = given.identity;
    this.#isOurs = given.isOurs;
    this.#onError = given.onError;
  }

  /** Something may have changed. */
  touch(): void {
    if (this.#server.resourceVersion === this.#written) return;
    this.#timer ??= setTimeout(() => this.#tryToWrite(), this.#delayMs).unref();
  }

  /**
   * Nothing is written after this.
   *
   * @param options.isKept - false to leave out what is not written yet
   * @throws {ConfigurationError} when it cannot be written
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
      replace(this.#path, `${JSON.stringify({ format: FORMAT, ...data })}\n`);
    } catch (cause) {
      throw new ConfigurationError(
        `Cannot write the data file ${this.#path}: ${errorText(cause)}; it holds what was stored before`,
        { cause },
      );
    }
    this.#written = resourceVersion;
    this.#delayMs = Math.max(DELAY_MS, REST * (performance.now() - begin));
  }
}
