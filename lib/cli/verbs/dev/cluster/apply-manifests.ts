import { ApiError, ConfigurationError } from '#lib/errors.ts';
import { type Discovery, discovery } from '#lib/kube/client/discovery.ts';
import { errorOfAnswer } from '#lib/kube/interface/status-error.ts';
import type { LocatedManifest } from '../../../project/manifests.ts';
import type { Cluster } from '../../../shell/context.ts';
import type { DevCluster } from './dev-cluster.ts';
import { DEV } from './rights.ts';

/**
 * Creates the discovery of resources for manifests. Each save needs a new discovery, because a changed CRD may have another
 * plural.
 */
export const discoveryOf = ({ ask }: Pick<Cluster, 'ask'>): Discovery =>
  discovery(async (path) => {
    const { code, body } = await ask(path);
    if (code < 400) return body;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    throw errorOfAnswer(`get ${path}`, { method: 'GET', httpStatus: code, body: text, receivedAt: Date.now() });
  });

/** The cluster to which manifests are applied. */
export interface ManifestTarget extends Pick<DevCluster, 'cluster' | 'isOurs'> {
  readonly discovery: Discovery;
  /** The field manager of the apply. @default the field manager of `dev` */
  readonly fieldManager?: string;
}

/** Whether a request failed because another field manager owns fields that the request would change. */
export const isFieldConflict = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.causes.some(({ reason }) => reason === 'FieldManagerConflict');

/**
 * Applies an object of a file. On the embedded cluster, the apply takes over fields of other field managers.
 *
 * @returns the label of the object, such as `PodSet/web`
 * @throws {ConfigurationError} when the kind is not served, or the object has no name
 * @throws {ConfigurationError} on the current cluster, when another field manager owns the fields
 */
export const applyManifest = async (
  { cluster, isOurs, discovery: { resourceOf }, fieldManager = DEV }: ManifestTarget,
  { object, where }: LocatedManifest,
): Promise<string> => {
  const { name } = object.metadata;
  if (name === undefined || name === '') throw new ConfigurationError(`${where}: metadata.name is missing`);
  const { apiVersion, kind } = object;
  const resource = await resourceOf(object);
  if (resource === undefined)
    throw new ConfigurationError(
      `${where}: the cluster serves no ${kind} of ${apiVersion}; define it first, or correct apiVersion and kind`,
    );
  const namespace = object.metadata.namespace ?? cluster.namespace;
  const target = { name, ...(resource.scope === 'Namespaced' && { namespace }) };
  const called = `${kind}/${name}`;
  try {
    await cluster.api.apply(resource, target, object, { fieldManager, force: isOurs });
  } catch (error) {
    if (!isFieldConflict(error)) throw error;
    throw new ConfigurationError(
      `${where}: ${called} stays as it is, as others have written its fields (${error.serverMessage}); leave these fields out, or use another name`,
      { cause: error },
    );
  }
  return called;
};
