import { ApiError, ConfigurationError } from '#lib/errors.ts';
import type { ApiResource } from '#lib/kube/api.ts';
import type { Cluster } from '../context.ts';
import type { Manifest } from '../manifests.ts';
import { at, listAt, textAt } from '../objects/json.ts';
import type { DevCluster } from './dev-cluster.ts';
import { DEV } from './rights.ts';

const resourceOf = async (
  cluster: Cluster,
  { object: { apiVersion, kind }, where }: Manifest,
): Promise<ApiResource> => {
  const { body } = await cluster.ask(`/${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}`);
  const found = listAt(body, 'resources').find(
    (one) => one['kind'] === kind && textAt(one, 'name')?.includes('/') === false,
  );
  const plural = textAt(found, 'name');
  if (plural === undefined) throw new ConfigurationError(`${where}: the cluster serves no ${kind} of ${apiVersion}`);
  return { apiVersion, kind, plural, scope: at(found, 'namespaced') === true ? 'Namespaced' : 'Cluster' };
};

/** Whether a request failed as somebody else has written fields that it would change. */
export const isFieldConflict = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.causes.some(({ reason }) => reason === 'FieldManagerConflict');

/**
 * Applies an object of a file; on a cluster that goes away in the end, whoever else has written its fields.
 *
 * @returns what it is called: `PodSet/web`
 * @throws {ConfigurationError} when its kind is not served, it has no name, or somebody else has written its fields in a cluster that is
 * somebody's
 */
export const applyManifest = async (
  { cluster, isOurs }: Pick<DevCluster, 'cluster' | 'isOurs'>,
  manifest: Manifest,
): Promise<string> => {
  const { object, where } = manifest;
  const { name } = object.metadata;
  if (name === undefined || name === '') throw new ConfigurationError(`${where}: metadata.name is missing`);
  const resource = await resourceOf(cluster, manifest);
  const namespace = object.metadata.namespace ?? cluster.namespace;
  const target = { name, ...(resource.scope === 'Namespaced' && { namespace }) };
  const called = `${resource.kind}/${name}`;
  try {
    await cluster.api.apply(resource, target, object, { fieldManager: DEV, force: isOurs });
  } catch (error) {
    if (!isFieldConflict(error)) throw error;
    throw new ConfigurationError(
      `${where}: ${called} stays as it is, as others have written its fields (${error.serverMessage}); leave these fields out, or use another name`,
      { cause: error },
    );
  }
  return called;
};
