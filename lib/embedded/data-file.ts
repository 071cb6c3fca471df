import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import { ConfigurationError } from '#lib/errors.ts';
import { isPlainObject } from '#lib/kind/json.ts';
import type { ServerObject } from '#lib/sim/machinery/object.ts';
import { groupVersionOf, resources } from '#lib/sim/machinery/resources.ts';
import type { ApiServer } from '#lib/sim/machinery/server.ts';
import { errorText } from './error-text.ts';

/** Who the cluster is, for those who know it from an earlier life: kubeconfigs and tokens go on being valid. */
export interface ClusterIdentity {
  readonly adminToken: string;
  /** What tokens of service accounts are signed with, in base64. */
  readonly secret: string;
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
  /** Days are counted from here: the certificate is good for a year. Epoch milliseconds. */
  readonly certifiedAt: number;
}

/** What a file holds. */
export interface ClusterData {
  readonly identity: ClusterIdentity;
  readonly objects: readonly ServerObject[];
}

const FORMAT = 'cdk8s-reconcile embedded cluster v1';

/** How long after a change is written, in milliseconds: many changes come together. */
const DELAY_MS = 500;

const refuse = (path: string, why: string, cause?: unknown): ConfigurationError =>
  new ConfigurationError(
    `Cannot read the data file ${path}: ${why}; it was left as it is. Move it away to start with an empty cluster`,
    { cause },
  );

const isObject = (value: unknown): value is ServerObject =>
  isPlainObject(value) &&
  typeof value['apiVersion'] === 'string' &&
  typeof value['kind'] === 'string' &&
  isPlainObject(value['metadata']) &&
  typeof value['metadata']['name'] === 'string' &&
  typeof value['metadata']['uid'] === 'string';

const NAMES = ['adminToken', 'secret', 'ca', 'certificate', 'key'];

const isIdentity = (value: unknown): value is ClusterIdentity =>
  isPlainObject(value) &&
  NAMES.every((name) => typeof value[name] === 'string' && value[name] !== '') &&
  typeof value['certifiedAt'] === 'number';

const dataIn = (path: string, text: string): ClusterData => {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    throw refuse(path, `it is no JSON (${errorText(cause)})`, cause);
  }
  if (!isPlainObject(data) || data['format'] !== FORMAT) throw refuse(path, `its "format" is not "${FORMAT}"`);
  const { identity, objects } = data;
  if (!isIdentity(identity)) throw refuse(path, 'its "identity" is not complete');
  if (!Array.isArray(objects) || !objects.every(isObject))
    throw refuse(path, 'its "objects" are not all objects with a name and a uid');
  return { identity, objects };
};

const isMissing = (error: unknown): boolean => (error as { readonly code?: unknown }).code === 'ENOENT';

/**
 * Reads what a cluster had stored.
 *
 * @returns undefined when there is no such file yet
 * @throws {ConfigurationError} when it cannot be read, or is not what was written; it stays as it is
 */
export const readDataFile = async (path: string): Promise<ClusterData | undefined> => {
  try {
    return dataIn(path, await readFile(path, 'utf8'));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error instanceof ConfigurationError ? error : refuse(path, errorText(error), error);
  }
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { readonly code?: unknown }).code === 'EPERM';
  }
};

const holderOf = async (lock: string): Promise<number> => Number(await readFile(lock, 'utf8').catch(() => '')) || 0;

/**
 * Keeps others from using a file at the same time; who was killed does not keep it.
 *
 * @returns lets go of it
 * @throws {ConfigurationError} when another process has it, or the folder cannot be written to
 */
export const lockDataFile = async (path: string): Promise<() => Promise<void>> => {
  const lock = `${path}.lock`;
  for (let attempt = 1; ; attempt++) {
    try {
      const handle = await open(lock, 'wx', 0o600);
      await handle.writeFile(String(process.pid));
      await handle.close();
      return () => rm(lock, { force: true });
    } catch (cause) {
      if ((cause as { readonly code?: unknown }).code !== 'EEXIST') {
        throw new ConfigurationError(`Cannot use the data file ${path}: ${errorText(cause)}`, { cause });
      }
      const pid = await holderOf(lock);
      if (attempt > 1 || (pid !== 0 && isAlive(pid))) {
        throw new ConfigurationError(
          `Cannot use the data file ${path}: process ${pid} has it (${lock}); end that cluster first, or use another file`,
          { cause },
        );
      }
      await rm(lock, { force: true });
    }
  }
};

const resourceOf = (plural: string, { apiVersion }: ServerObject) => ({ ...groupVersionOf(apiVersion), plural });

const isDefinition = ({ kind }: ServerObject): boolean => kind === 'CustomResourceDefinition';

/**
 * Puts objects into a server that is still empty. Those of kinds that are not served any more are left out.
 *
 * @param pluralOf - the plural of what an object is, when that is served
 */
export const restoreObjects = (
  server: ApiServer,
  objects: readonly ServerObject[],
  pluralOf: (object: ServerObject) => string | undefined,
): void => {
  for (const definition of objects.filter(isDefinition)) server.restore(resources.definitions, definition);
  for (const object of objects.filter((each) => !isDefinition(each))) {
    const plural = pluralOf(object);
    if (plural !== undefined) server.restore(resourceOf(plural, object), object);
  }
};

/** Everything that a server has stored. */
const objectsOf = (server: ApiServer): readonly unknown[] => Object.values(server.dump()).flat();

/**
 * Keeps a file up to date with what is stored.
 *
 * Guarantees: the file is always whole, as of one moment: it is written beside and then put in its place. After `close` it has
 * everything; after a crash of the process, all but the last half second.
 */
export class DataFile {
  readonly #path: string;
  readonly #server: ApiServer;
  readonly #identity: ClusterIdentity;
  readonly #onError: (error: unknown) => void;
  #written = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(
    path: string,
    given: {
      readonly server: ApiServer;
      readonly identity: ClusterIdentity;
      /** Called when it cannot be written; it is tried again with the next change. */
      readonly onError: (error: unknown) => void;
    },
  ) {
    this.#path = path;
    this.#server = given.server;
    this.#identity = given.identity;
    this.#onError = given.onError;
  }

  /** Something may have changed. */
  touch(): void {
    if (this.#server.resourceVersion === this.#written) return;
    this.#timer ??= setTimeout(() => this.#tryToWrite(), DELAY_MS).unref();
  }

  /** Writes what is not written yet. @throws {Error} when that is not possible */
  close(): void {
    clearTimeout(this.#timer);
    if (this.#server.resourceVersion !== this.#written) this.#write();
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
    const data = { format: FORMAT, identity: this.#identity, objects: objectsOf(this.#server) };
    const beside = `${this.#path}.${randomBytes(4).toString('hex')}`;
    try {
      const file = openSync(beside, 'wx', 0o600);
      try {
        writeFileSync(file, `${JSON.stringify(data)}\n`);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(beside, this.#path);
    } catch (error) {
      rmSync(beside, { force: true });
      throw error;
    }
    this.#written = resourceVersion;
  }
}
