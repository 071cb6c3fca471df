import { readFile } from 'node:fs/promises';
import { ConfigurationError } from '#lib/errors.ts';
import { isPlainObject } from '#lib/json.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
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
  /** Of the last write, which may have been a deletion. */
  readonly resourceVersion: number;
  readonly objects: readonly ServerObject[];
}

/** The first member of every file. */
export const FORMAT = 'cdk8s-reconcile embedded cluster v1';

/** An error about a file that cannot be used. */
export const refuse = (path: string, why: string, cause?: unknown): ConfigurationError =>
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

const isVersion = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

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
  const { identity, resourceVersion = 0, objects } = data;
  if (!isIdentity(identity)) throw refuse(path, 'its "identity" is not complete');
  if (!Array.isArray(objects) || !objects.every(isObject))
    throw refuse(path, 'its "objects" are not all objects with a name and a uid');
  if (!isVersion(resourceVersion)) throw refuse(path, 'its "resourceVersion" is no whole number');
  return { identity, resourceVersion, objects };
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
