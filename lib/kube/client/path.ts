import { InvariantError } from '#lib/errors.ts';
import type { ApiResource } from '#lib/kube/interface/api.ts';

/** The part of a path after the collection of a resource. */
export interface ResourcePathOptions {
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: 'status';
}

/** Every proxy on the way reads `%2e%2e` as `..`, so encoding does not help. No Kubernetes object has such a name. */
const UNSAFE_SEGMENTS: ReadonlySet<string> = new Set(['', '.', '..']);

const segment = (value: string): string => {
  if (UNSAFE_SEGMENTS.has(value)) {
    throw new InvariantError(`Cannot build a request path: ${JSON.stringify(value)} is not a name`);
  }
  return encodeURIComponent(value);
};

/**
 * The path of a resource's collection, of one object, or of its subresource.
 *
 * @param options - without `namespace`, or with an empty one, a namespaced resource's collection over all namespaces
 * @throws InvariantError for a name that cannot be a path segment, a namespace with a cluster-scoped resource, or one
 *   object of a namespaced resource without its namespace
 * @example
 * resourcePath({ apiVersion: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' }, { namespace: 'a', name: 'b' });
 * // '/api/v1/namespaces/a/pods/b'
 */
export const resourcePath = (resource: ApiResource, options: ResourcePathOptions = {}): string => {
  const { name, subresource } = options;
  const namespace = options.namespace === '' ? undefined : options.namespace;
  if (namespace !== undefined && resource.scope === 'Cluster') {
    throw new InvariantError(`Cannot look for ${resource.plural} in namespace "${namespace}": they are cluster-scoped`);
  }
  if (namespace === undefined && name !== undefined && resource.scope === 'Namespaced') {
    throw new InvariantError(`Cannot address ${resource.plural} "${name}": the namespace is missing`);
  }
  const parts = [
    resource.apiVersion.includes('/') ? 'apis' : 'api',
    ...resource.apiVersion.split('/').map(segment),
    ...(namespace === undefined ? [] : ['namespaces', segment(namespace)]),
    segment(resource.plural),
    ...(name === undefined ? [] : [segment(name)]),
    ...(subresource === undefined ? [] : [subresource]),
  ];
  return `/${parts.join('/')}`;
};
