import { InvariantError } from '#lib/errors.ts';
import type { ApiResource } from '#lib/kube/interface/api.ts';

/** The parts of a path that select a namespace, an object and a subresource. */
export interface ResourcePathOptions {
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: 'status';
}

/**
 * Names that are refused as a segment of a path. Encoding does not help: proxies read `%2e%2e` as `..`. No Kubernetes object has
 * such a name.
 */
const UNSAFE_SEGMENTS: ReadonlySet<string> = new Set(['', '.', '..']);

const segment = (value: string): string => {
  if (UNSAFE_SEGMENTS.has(value)) {
    throw new InvariantError(`Cannot build a request path: ${JSON.stringify(value)} is not a name`);
  }
  return encodeURIComponent(value);
};

/**
 * The path of a collection of a resource, of one object, or of a subresource of an object.
 *
 * @param options - without `namespace`, or with an empty one, the collection contains the objects of all namespaces
 * @throws InvariantError for a name that cannot be a path segment, a namespace of a cluster-scoped resource, and a missing
 *   namespace of one namespaced object
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
