import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { errorText } from '#lib/apiserver/machinery/text/error-text.ts';
import { ConfigurationError } from '#lib/errors.ts';
import { isPlainObject } from '#lib/json.ts';

/**
 * The identity of the cluster, for later runs. Tokens of an earlier run stay valid. Its certificates are replaced before they
 * expire, or if they are not valid for the host.
 */
export interface ClusterIdentity {
  readonly adminToken: string;
  /** The key that signs the tokens of service accounts, in base64. */
  readonly secret: string;
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
  /** The time at which the certificate was issued, in epoch milliseconds. The certificate is valid for a year. */
  readonly certifiedAt: number;
}

/** The contents of a data file. */
export interface ClusterData {
  readonly identity: ClusterIdentity;
  /** The resource version of the last write. After a deletion, this version is higher than the version of every object. */
  readonly resourceVersion: number;
  readonly objects: readonly ServerObject[];
}

/** The value of the member `format` of every data file. */
const FORMAT = 'cdk8s-reconcile embedded cluster v1';

/** Makes the error for an unusable data file. */
export const refuseDataFile = (path: string, why: string, cause?: unknown): ConfigurationError =>
  new ConfigurationError(
    `Cannot read the data file ${path}: ${why}; the file was not changed. Move it away to start with an empty cluster`,
    { cause },
  );

const withChecksum = (text: string, from: string, to: string): string =>
  text.replace(`"checksum":"${from}"`, `"checksum":"${to}"`);

/** The SHA-256 of the text whose checksum is empty. */
const checksumOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Returns the text of a data file. Because of its checksum, the next start notices a change of any byte. */
export const dataFileText = (data: ClusterData): string => {
  const text = `${JSON.stringify({ format: FORMAT, checksum: '', ...data })}\n`;
  return withChecksum(text, '', checksumOf(text));
};

/** Whether the text matches its checksum. Files of earlier releases have no checksum. */
const isUndamaged = (text: string, checksum: unknown): boolean =>
  checksum === undefined || (typeof checksum === 'string' && checksumOf(withChecksum(text, checksum, '')) === checksum);

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
    throw refuseDataFile(path, `it is not JSON (${errorText(cause)})`, cause);
  }
  if (!isPlainObject(data) || data['format'] !== FORMAT) throw refuseDataFile(path, `its "format" is not "${FORMAT}"`);
  const { checksum, identity, resourceVersion = 0, objects } = data;
  if (!isUndamaged(text, checksum))
    throw refuseDataFile(path, 'its text does not match its "checksum", so it was damaged or edited');
  if (!isIdentity(identity)) throw refuseDataFile(path, 'its "identity" is not complete');
  if (!Array.isArray(objects) || !objects.every(isObject))
    throw refuseDataFile(path, 'its "objects" are not all objects with a name and a uid');
  if (!isVersion(resourceVersion)) throw refuseDataFile(path, 'its "resourceVersion" is not a whole number');
  return { identity, resourceVersion, objects };
};

const isMissing = (error: unknown): boolean => (error as { readonly code?: unknown }).code === 'ENOENT';

/**
 * Reads the stored objects of a cluster. The function never changes the file.
 *
 * @returns undefined when the file does not exist
 * @throws {ConfigurationError} when the file cannot be read or is damaged
 */
export const readDataFile = async (path: string): Promise<ClusterData | undefined> => {
  try {
    return dataIn(path, await readFile(path, 'utf8'));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error instanceof ConfigurationError ? error : refuseDataFile(path, errorText(error), error);
  }
};
