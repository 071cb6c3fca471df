/** The verb of a request, as in RBAC; `apply` is a patch by server-side apply. */
export type Verb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'apply'
  | 'delete'
  | 'deletecollection'
  | 'other';

/** One request on its arrival at the proxy. Plain data, fit for JSON. */
export interface Call {
  /** The order of arrival, from 1. */
  readonly seq: number;
  /** Milliseconds since the proxy was started. */
  readonly atMs: number;
  readonly verb: Verb;
  /**
   * Plural with its subresource: `pods`, `podsets/status`. The path for requests without a resource, such as
   * `/version`.
   */
  readonly resource: string;
  /** Empty for the core group. */
  readonly group: string;
  /** Empty for all namespaces and for cluster-scoped resources. */
  readonly namespace: string;
  /** Empty for collections, creates included. */
  readonly name: string;
  /** The ordinal of this request among those of its verb and resource, from 1: a replay identifies requests by it. */
  readonly nth: number;
}

/** A request without the data of its arrival. */
export type Asked = Pick<Call, 'verb' | 'resource' | 'group' | 'namespace' | 'name'>;

const mutating: ReadonlySet<Verb> = new Set(['create', 'update', 'patch', 'apply', 'delete', 'deletecollection']);

/** Whether a request may change something. */
export const isMutating = ({ verb }: Pick<Call, 'verb'>): boolean => mutating.has(verb);

const writeVerbs: Readonly<Record<string, Verb>> = { POST: 'create', PUT: 'update', PATCH: 'patch' };

const verbOf = (
  method: string,
  { isNamed, isWatch, contentType }: { isNamed: boolean; isWatch: boolean; contentType: string },
): Verb => {
  if (method === 'GET' && isWatch) return 'watch';
  if (method === 'GET') return isNamed ? 'get' : 'list';
  if (method === 'DELETE') return isNamed ? 'delete' : 'deletecollection';
  if (method === 'PATCH' && contentType.startsWith('application/apply-patch')) return 'apply';
  return writeVerbs[method] ?? 'other';
};

/**
 * Parses a request as the API server does (apiserver's endpoints/request/requestinfo.go).
 *
 * @param target the path with its query
 * @param contentType of the body; distinguishes an apply from another patch
 */
export const askedBy = (method: string, target: string, contentType = ''): Asked => {
  const { pathname, searchParams } = new URL(target, 'https://proxy');
  const matched =
    /^\/(?:api\/v1|apis\/(?<group>[^/]+)\/[^/]+)(?:\/namespaces\/(?<namespace>[^/]+)(?=\/))?\/(?<rest>.+)$/.exec(
      pathname,
    );
  const { group = '', namespace = '', rest } = matched?.groups ?? {};
  if (rest === undefined) return { verb: 'other', resource: pathname, group: '', namespace: '', name: '' };
  const [resource = '', name = '', subresource] = rest.split('/');
  const isWatch = ['1', 'true'].includes(searchParams.get('watch') ?? '');
  return {
    verb: verbOf(method, { isNamed: name !== '', isWatch, contentType }),
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    group,
    namespace,
    name,
  };
};
