import type { ResourceName, ServerRequest } from '#lib/apiserver/machinery/request.ts';
import { badRequest } from '#lib/apiserver/machinery/status.ts';

/** A path to a collection, an object or a subresource. */
export interface ResourceRoute {
  readonly resource: ResourceName;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** A parsed path. Empty segments at its start and its end are dropped. An encoded slash separates segments, too. */
export interface Route {
  readonly segments: readonly string[];
  /** The resource to which the path leads; absent for other paths, such as discovery and health. */
  readonly resource?: ResourceRoute;
}

const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch {
    throw badRequest(`the path "${path}" is not properly encoded`);
  }
};

/** Subresources of a namespace. In the path, they have the same position as the plurals of namespaced resources. */
const OF_NAMESPACES: ReadonlySet<string> = new Set(['status', 'finalize']);

const placeOf = (rest: readonly string[]): Omit<ResourceRoute, 'resource'> & { readonly plural: string } => {
  const [first = '', namespace = '', third] = rest;
  const isInside = first === 'namespaces' && third !== undefined && !OF_NAMESPACES.has(third);
  const [plural = '', name, ...below] = isInside ? rest.slice(2) : rest;
  return {
    plural,
    ...(isInside && { namespace }),
    ...(name !== undefined && { name }),
    ...(below.length > 0 && { subresource: below.join('/') }),
  };
};

const resourceRoute = (segments: readonly string[]): ResourceRoute | undefined => {
  const [root, ...rest] = segments;
  const [group, version, below] =
    root === 'api' ? ['', rest[0], rest.slice(1)] : [rest[0], rest[1], root === 'apis' ? rest.slice(2) : []];
  if (group === undefined || version === undefined || below.length === 0) return undefined;
  const { plural, ...place } = placeOf(below);
  return { resource: { group, version, plural }, ...place };
};

/**
 * Parses a path as the API server does.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/endpoints/request/requestinfo.go (`NewRequestInfo`)
 * @throws {StatusError} 400 for invalid percent-encoding
 */
export const routeOf = (path: string): Route => {
  const segments = decoded(path).replace(/^\/+/, '').replace(/\/+$/, '').split('/');
  const resource = segments.includes('') ? undefined : resourceRoute(segments);
  return { segments, ...(resource && { resource }) };
};

/** The RBAC verb of a request for a resource. */
export type RequestVerb = ServerRequest['verb'] | 'watch';

const ON_OBJECTS: Readonly<Record<string, RequestVerb>> = { PUT: 'update', PATCH: 'patch', POST: 'create' };

/** Returns the verb of a request; undefined for a method that resources do not support. */
export const requestVerb = (method: string, { name }: ResourceRoute, isWatch: boolean): RequestVerb | undefined => {
  if (method === 'GET' && name !== undefined) return 'get';
  if (method === 'GET') return isWatch ? 'watch' : 'list';
  if (method === 'DELETE') return name === undefined ? 'deletecollection' : 'delete';
  return ON_OBJECTS[method];
};
