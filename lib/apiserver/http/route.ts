import type { ResourceName, ServerRequest } from '#lib/apiserver/machinery/request.ts';
import { badRequest } from '#lib/apiserver/machinery/status.ts';

/** A path that leads to a resource, a collection or a subresource. */
export interface ResourceRoute {
  readonly resource: ResourceName;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** What a path means; `segments` are decoded and without empty ones at the end. */
export interface Route {
  readonly segments: readonly string[];
  /** Absent for discovery, health and what else is no resource. */
  readonly resource?: ResourceRoute;
}

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest(`the path segment "${segment}" is not properly encoded`);
  }
};

/** Subresources that stand where the plural of what is in a namespace would. */
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
 * Reads a path as the API server does.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/endpoints/request/requestinfo.go (`NewRequestInfo`)
 * @throws {StatusError} 400 for one that is not properly encoded
 */
export const routeOf = (path: string): Route => {
  const segments = path.replace(/^\/+/, '').replace(/\/+$/, '').split('/').map(decoded);
  const resource = segments.includes('') ? undefined : resourceRoute(segments);
  return { segments, ...(resource && { resource }) };
};

/** What a request wants, by its method and whether it has a name: the verbs of RBAC. */
export type Verb = ServerRequest['verb'] | 'watch';

const ON_OBJECTS: Readonly<Record<string, Verb>> = { PUT: 'update', PATCH: 'patch', POST: 'create' };

/** The verb of a request; absent for a method that no resource has. */
export const verbOf = (method: string, { name }: ResourceRoute, isWatch: boolean): Verb | undefined => {
  if (method === 'GET' && name !== undefined) return 'get';
  if (method === 'GET') return isWatch ? 'watch' : 'list';
  if (method === 'DELETE') return name === undefined ? 'deletecollection' : 'delete';
  return ON_OBJECTS[method];
};
