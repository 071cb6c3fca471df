import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, ConfigurationError } from '#lib/errors.ts';
import type { CustomResourceDefinition } from '#lib/kind/crd.ts';
import type { ApiObject, ApiResource, KubeApi } from '#lib/kube/interface/api.ts';
import type { Cluster } from '../../../shell/context.ts';
import { DEV } from './rights.ts';

/**
 * Returns a handler for the error of a create request. The handler throws other errors again.
 *
 * @param what - the object, for the message
 * @param remedy - the reason why the object may exist, and the remedy
 * @throws {ConfigurationError} when the object exists already
 */
export const refuseExisting =
  (what: string, remedy: string) =>
  (error: unknown): never => {
    if (!(error instanceof ApiError) || error.httpStatus !== 409) throw error;
    throw new ConfigurationError(`Cannot begin: ${what} already exists: ${remedy}`, { cause: error });
  };

/** Maximum wait until the objects of a new CRD can be listed, in milliseconds. */
const PATIENCE_MS = 15_000;
const RETRY_MS = 200;

/** Lists objects. While the API server prepares the storage of a new CRD, the response is 429, and the list is repeated. */
const listed = async (api: Pick<KubeApi, 'list'>, resource: ApiResource): Promise<readonly ApiObject[]> => {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return (await api.list(resource, { metadataOnly: true })).items;
    } catch (error) {
      if (!(error instanceof ApiError) || error.httpStatus !== 429 || performance.now() > end) throw error;
      await sleep(RETRY_MS);
    }
  }
};

/**
 * Refuses to remove a CRD while objects of its kind exist outside of the namespace of `dev`. The removal would delete them.
 *
 * @throws {ConfigurationError} with the number of these objects, and the name of the first one
 */
export const refuseInUse = async (
  { api }: Pick<Cluster, 'api'>,
  { spec: { group, names, scope, versions } }: CustomResourceDefinition,
): Promise<void> => {
  const version = versions.find(({ served }) => served)?.name ?? '';
  const resource = { apiVersion: `${group}/${version}`, kind: names.kind, plural: names.plural, scope };
  const items = await listed(api, resource);
  const others = items.filter(({ metadata }) => metadata.namespace !== DEV);
  const [first] = others;
  if (first === undefined) return;
  const { namespace = '', name } = first.metadata;
  throw new ConfigurationError(
    `${others.length} of others would go with it, such as ${namespace}/${name}: it stays until you remove it`,
  );
};
