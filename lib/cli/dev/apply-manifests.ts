import { ConfigurationError } from '#lib/errors.ts';
import type { ApiResource } from '#lib/kube/api.ts';
import type { Cluster } from '../context.ts';
import type { Manifest } from '../manifests.ts';
import { at, listAt, textAt } from '../objects/json.ts';
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

/**
 * Applies an object of a file, whoever else has written its fields.
 *
 * @returns what it is called: `PodSet/web`
 * @throws {ConfigurationError} when its kind is not served, or it has no name
 */
export const applyManifest = async (cluster: Cluster, manifest: Manifest): Promise<string> => {
  const { object, where } = manifest;
  const { name } = object.metadata;
  if (name === undefined || name === '') throw new ConfigurationError(`${where}: metadata.name is missing`);
  const resource = await resourceOf(cluster, manifest);
  const namespace = object.metadata.namespace ?? cluster.namespace;
  const target = { name, ...(resource.scope === 'Namespaced' && { namespace }) };
  await cluster.api.apply(resource, target, object, { fieldManager: DEV, force: true });
  return `${resource.kind}/${name}`;
};
