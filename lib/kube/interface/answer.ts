import { ConnectionError } from '#lib/errors.ts';
import type { ApiObject, ApiPage, ApiResource, ApiTarget, OnRefused } from './api.ts';
import { isRecord } from './json.ts';
import { isUsable } from './object-check.ts';

/** The names of a request, for messages and metrics. */
export interface AskedRequest {
  /** The verb of the request, as in RBAC. */
  readonly verb: string;
  /** The plural name of the resource. */
  readonly resource: string;
  /** The object or collection of the request, such as `pods "default/web-1"`. */
  readonly subject: string;
}

/** Returns the names of a request, for messages and metrics. */
export const describe = (verb: string, resource: ApiResource, target: Partial<ApiTarget> = {}): AskedRequest => {
  const { namespace = '', name } = target;
  const where = name === undefined ? '' : ` "${namespace === '' ? name : `${namespace}/${name}`}"`;
  return { verb, resource: resource.plural, subject: `${resource.plural}${where}` };
};

const unexpected = (request: AskedRequest, why = ''): ConnectionError =>
  new ConnectionError(
    `Cannot ${request.verb} ${request.subject}: the response is not one of a Kubernetes API server${why && ` (${why})`}; check the server's URL`,
  );

/** Adds a resource version for the check. The response to a dry run of a create has none, because nothing is stored. */
const withVersion = (value: unknown): unknown => {
  if (!isRecord(value) || !isRecord(value['metadata']) || value['metadata']['resourceVersion'] !== undefined)
    return value;
  return { ...value, metadata: { ...value['metadata'], resourceVersion: '0' } };
};

/**
 * Checks that a response is an object of the API server, with the metadata that this library needs.
 *
 * @throws {ConnectionError} when the response is not such an object
 */
export const asObject = (request: AskedRequest, value: unknown): ApiObject => {
  let why = '';
  if (isUsable(withVersion(value), (reason) => (why = reason))) return value as ApiObject;
  throw unexpected(request, why);
};

/**
 * Adds `apiVersion` and `kind` to an item of a list, because items of built-in kinds lack them. The item is copied, as responses
 * of an in-memory server are shared and frozen.
 */
const completed = (names: Pick<ApiObject, 'apiVersion' | 'kind'>, item: unknown): unknown =>
  isRecord(item) && !('apiVersion' in item && 'kind' in item) ? { ...names, ...item } : item;

/**
 * Parses a response as a page of a list.
 *
 * @param onRefused - called for invalid items, which are left out
 * @throws {ConnectionError} when the response is not a list
 */
export const asPage = (
  request: AskedRequest,
  value: unknown,
  { apiVersion, kind, onRefused = () => {} }: Pick<ApiResource, 'apiVersion' | 'kind'> & { onRefused?: OnRefused },
): ApiPage => {
  if (!isRecord(value) || !isRecord(value['metadata'])) throw unexpected(request);
  const { resourceVersion, continue: continueToken } = value['metadata'];
  const items = value['items'] ?? [];
  if (typeof resourceVersion !== 'string' || !Array.isArray(items)) throw unexpected(request);
  return {
    items: items
      .map((item: unknown) => completed({ apiVersion, kind }, item))
      .filter((item) => isUsable(item, onRefused)),
    resourceVersion,
    ...(typeof continueToken === 'string' && continueToken !== '' && { continueToken }),
  };
};

/**
 * Whether an object still exists after the request to delete it. The response to a deletion that is complete at once is a
 * `Status` or, for some built-in kinds, the deleted object. A deleted pod even has a deletionTimestamp, with a grace period of 0.
 */
const lingers = (object: ApiObject): boolean => {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers }: Record<string, unknown> = { ...object.metadata };
  if (deletionTimestamp === undefined) return false;
  return (Array.isArray(finalizers) && finalizers.length > 0) || Number(deletionGracePeriodSeconds ?? 0) > 0;
};

/** Returns the object from the response to a deletion if the object still exists; `undefined` if it is gone. */
export const asDeleted = (request: AskedRequest, resource: ApiResource, value: unknown): ApiObject | undefined => {
  if (isRecord(value) && value['kind'] === 'Status') return undefined;
  const answer = asObject(request, value);
  return answer.kind === resource.kind && lingers(answer) ? answer : undefined;
};
