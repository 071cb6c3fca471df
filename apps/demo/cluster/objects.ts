import { ApiError, ConfigurationError } from '#lib/errors.ts';
import type { ApiResource } from '#lib/kube/api.ts';
import type { Access } from './access.ts';

/** An object as a manifest has it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

interface Discovered {
  readonly resources: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
}

const isSubresource = (plural: string): boolean => plural.includes('/');

type Resources = Discovered['resources'];

const known = new WeakMap<Access, Map<string, Resources>>();

/** What a version of a group serves; asked for again when it is not known to serve a kind. */
const discover = async (
  access: Access,
  { apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>,
): Promise<Resources> => {
  const versions = known.get(access) ?? new Map<string, Resources>();
  known.set(access, versions);
  const before = versions.get(apiVersion);
  if (before?.some((one) => one.kind === kind)) return before;
  const path = `/${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}`;
  const { resources } = await access.send<Discovered>({ method: 'GET', path });
  versions.set(apiVersion, resources);
  return resources;
};

/**
 * What the cluster calls a kind in its paths; asked for once.
 *
 * @throws {ConfigurationError} when the cluster does not serve it
 */
export const resourceOf = async (access: Access, { apiVersion, kind }: Manifest): Promise<ApiResource> => {
  const resources = await discover(access, { apiVersion, kind });
  const found = resources.find((one) => one.kind === kind && !isSubresource(one.name));
  if (found === undefined)
    throw new ConfigurationError(`Cannot create ${kind}: the cluster serves none in ${apiVersion}`);
  return { apiVersion, kind, plural: found.name, scope: found.namespaced ? 'Namespaced' : 'Cluster' };
};

/** An object that was created, and how to take it away. */
export interface Created {
  readonly title: string;
  /** What removes it by hand. */
  readonly command: string;
  readonly remove: () => Promise<void>;
}

/**
 * Creates an object that must not be there.
 *
 * @throws {ConfigurationError} when it is
 */
export const create = async (access: Access, manifest: Manifest): Promise<Created> => {
  const resource = await resourceOf(access, manifest);
  const { name, namespace } = manifest.metadata;
  const title = `${manifest.kind} ${name}`;
  const within = namespace === undefined ? {} : { namespace };
  try {
    const { metadata } = await access.api.create(resource, manifest, { fieldManager: 'npm-start', ...within });
    const command = `kubectl delete ${manifest.kind} ${name}${namespace === undefined ? '' : ` -n ${namespace}`}`;
    access.standing.add(command);
    const remove = async (): Promise<void> => {
      await access.api.delete(resource, { name, ...within }, { uid: metadata.uid });
      access.standing.delete(command);
    };
    return { title, command, remove };
  } catch (error) {
    if (!(error instanceof ApiError) || error.httpStatus !== 409) throw error;
    throw new ConfigurationError(
      `Cannot create ${title}: it is there already, and is not the demo's to change; remove it first`,
    );
  }
};
