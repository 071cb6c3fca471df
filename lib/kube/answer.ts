import { ConnectionError } from '#lib/errors.ts';
import type { ApiObject, ApiPage, ApiResource, ApiTarget } from './api.ts';
import { isRecord } from './json.ts';

/** What was asked, for messages and metrics. */
export interface Asked {
  /** The verb as RBAC knows it. */
  readonly verb: string;
  /** The plural name of the resource. */
  readonly resource: string;
  /** Such as `pods "default/web-1"`. */
  readonly subject: string;
}

/** Says what is asked. */
export const describe = (verb: string, resource: ApiResource, target: Partial<ApiTarget> = {}): Asked => {
  const { namespace = '', name } = target;
  const where = name === undefined ? '' : ` "${namespace === '' ? name : `${namespace}/${name}`}"`;
  return { verb, resource: resource.plural, subject: `${resource.plural}${where}` };
};

const unexpected = (request: Asked): ConnectionError =>
  new ConnectionError(
    `Cannot ${request.verb} ${request.subject}: the answer is not what a Kubernetes API server sends; check the server's URL`,
  );

/**
 * Takes an answer for an object.
 *
 * @throws {ConnectionError} when it is none
 */
export const asObject = (request: Asked, value: unknown): ApiObject => {
  if (isRecord(value) && isRecord(value['metadata']) && typeof value['kind'] === 'string') return value as ApiObject;
  throw unexpected(request);
};

/**
 * Takes an answer for a page of a list. Lists of built-in kinds come without `apiVersion` and `kind` on their items.
 *
 * @throws {ConnectionError} when it is none
 */
export const asPage = (request: Asked, resource: ApiResource, value: unknown): ApiPage => {
  if (!isRecord(value) || !isRecord(value['metadata'])) throw unexpected(request);
  const { resourceVersion, continue: continueToken } = value['metadata'];
  const items = value['items'] ?? [];
  if (typeof resourceVersion !== 'string' || !Array.isArray(items)) throw unexpected(request);
  const names = { apiVersion: resource.apiVersion, kind: resource.kind };
  return {
    // Answers of a server in memory are shared and frozen.
    items: (items as ApiObject[]).map((item) =>
      'apiVersion' in item && 'kind' in item ? item : { ...names, ...(item as ApiObject) },
    ),
    resourceVersion,
    ...(typeof continueToken === 'string' && continueToken !== '' && { continueToken }),
  };
};

/**
 * Tells an object that still exists from one that is gone. The answer to a deletion that took place at once is a `Status`
 * or, for some built-in kinds, the object as it was; that of a pod even has a deletionTimestamp, with a grace period of 0.
 */
const lingers = (object: ApiObject): boolean => {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers }: Record<string, unknown> = { ...object.metadata };
  if (deletionTimestamp === undefined) return false;
  return (Array.isArray(finalizers) && finalizers.length > 0) || Number(deletionGracePeriodSeconds ?? 0) > 0;
};

/** Takes the answer to a deletion: the object when it still exists, `undefined` when it is gone. */
export const asDeleted = (request: Asked, resource: ApiResource, value: unknown): ApiObject | undefined => {
  const answer = asObject(request, value);
  return answer.kind === resource.kind && lingers(answer) ? answer : undefined;
};
