import { ApiError, ConfigurationError } from '#lib/errors.ts';
import type { ApiResource } from '#lib/kube/interface/api.ts';
import type { Access } from './access.ts';

/** An object as a manifest has it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/**
 * What the cluster calls a kind in its paths; asked for once.
 *
 * @throws {ConfigurationError} when the cluster does not serve it
 */
export const resourceOf = async ({ discovery }: Access, { apiVersion, kind }: Manifest): Promise<ApiResource> => {
  const found = await discovery.resourceOf({ apiVersion, kind });
  if (found !== undefined) return found;
  throw new ConfigurationError(`Cannot create ${kind}: the cluster serves none in ${apiVersion}`);
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
