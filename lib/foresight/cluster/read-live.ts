import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ApiError, ForesightError } from '#lib/errors.ts';
import { Deployment, type KindRef, Pod, resourceName } from '#lib/kind/handles/reference.ts';
import { namesOf } from '#lib/kind/names.ts';
import type { ApiObject, ApiResource, KubeApi } from '#lib/kube/interface/api.ts';
import { namespacesOf, needsOf, sourceId } from '#lib/loop/source/needs.ts';
import type { LiveObject } from './live-object.ts';

/** Options for {@link readLive}. */
export interface ReadLiveOptions {
  readonly kinds: readonly AnyKindDefinition[];
  /** The namespaces to read. @default all */
  readonly namespaces?: readonly string[];
}

/** Objects read from a cluster. */
export interface LiveState {
  readonly objects: readonly LiveObject[];
  /** Sentences about resources that could not be read. */
  readonly notes: readonly string[];
}

const PAGE = 500;

const builtin = (apiVersion: string, kind: string, more: Pick<ApiResource, 'plural' | 'scope'>): ApiResource => ({
  apiVersion,
  kind,
  ...more,
});

const Namespace = builtin('v1', 'Namespace', { plural: 'namespaces', scope: 'Cluster' });
const Node = builtin('v1', 'Node', { plural: 'nodes', scope: 'Cluster' });
const ResourceQuota = builtin('v1', 'ResourceQuota', { plural: 'resourcequotas', scope: 'Namespaced' });
const ReplicaSet = builtin('apps/v1', 'ReplicaSet', { plural: 'replicasets', scope: 'Namespaced' });

const CustomResourceDefinition = builtin('apiextensions.k8s.io/v1', 'CustomResourceDefinition', {
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
});

/** The resources that the virtual controllers need, except those that `needed` contains. */
const surroundings = (needed: readonly KindRef[]): readonly ApiResource[] => {
  const ids = new Set(needed.map(sourceId));
  const hasDeployments = ids.has(sourceId(Deployment));
  return [Namespace, Node, ResourceQuota, ...(hasDeployments ? [ReplicaSet, Pod] : [])].filter(
    (kind) => !ids.has(sourceId(kind)),
  );
};

const pagesOf = async (
  api: Pick<KubeApi, 'list'>,
  resource: ApiResource,
  where: { readonly namespace?: string; readonly labelSelector?: string },
) => {
  const items: ApiObject[] = [];
  let continueToken: string | undefined;
  do {
    const next = continueToken === undefined ? {} : { continueToken };
    const page = await api.list(resource, { ...where, limit: PAGE, ...next });
    items.push(...page.items);
    ({ continueToken } = page);
  } while (continueToken !== undefined && continueToken !== '');
  return items;
};

/** A resource to read, and whether a plan is impossible without it. */
interface Wanted {
  readonly resource: ApiResource;
  readonly isNeeded: boolean;
  /** The namespaces to read; undefined for all. */
  readonly namespaces: readonly string[] | undefined;
  readonly labelSelector?: string;
}

/**
 * Returns a note about a resource that cannot be read. A resource that the server does not serve has no objects. A forbidden
 * resource may have objects: if it is needed, the function throws an error, because the plan would be wrong.
 */
const unread = ({ resource, isNeeded }: Wanted, cause: unknown, namespace: string | undefined): string => {
  const status = cause instanceof ApiError ? cause.httpStatus : undefined;
  const what = `${resourceName(resource)}${namespace === undefined ? '' : ` in namespace ${namespace}`}`;
  if (status === 404 || status === 501) return `${what} are not served (${status}), so there are none`;
  if (status !== 403) throw cause;
  if (!isNeeded)
    return `UNKNOWN: ${what} may not be read (403); the rest of this output assumes that there are none, and may be wrong`;
  throw new ForesightError(
    `Cannot look ahead: ${what} may not be read (403), so the live objects are unknown; grant the verb list on them, or give a dump with --against`,
    { cause },
  );
};

const readable = async (
  api: Pick<KubeApi, 'list'>,
  wanted: Wanted,
  where: { readonly namespace?: string; readonly labelSelector?: string },
): Promise<LiveState> => {
  try {
    const objects = await pagesOf(api, wanted.resource, where);
    return { objects: objects as unknown as readonly LiveObject[], notes: [] };
  } catch (error) {
    return { objects: [], notes: [unread(wanted, error, where.namespace)] };
  }
};

const idOf = ({ apiVersion, kind, metadata: { namespace = '', name } }: LiveObject): string =>
  `${apiVersion} ${kind} ${namespace}/${name}`;

/** The names of the CustomResourceDefinitions of the kinds, and of the custom resources that they own or read. */
const definitionsFor = (kinds: readonly AnyKindDefinition[], needed: readonly KindRef[]): ReadonlySet<string> =>
  new Set([...kinds.map((kind) => namesOf(kind).crdName), ...needed.map(resourceName)]);

/**
 * Reads the starting state of a plan: resources of the kinds, their children, the objects that the kinds read, the
 * CustomResourceDefinitions of all these, and the objects that the controllers of the cluster need.
 *
 * Caveats: the function reads one resource type after another. If the cluster changes meanwhile, the state may be inconsistent.
 * The function reads Secrets only for kinds that own or read Secrets.
 *
 * @throws {ForesightError} when the API server forbids a list that a plan needs
 * @throws {ApiError} for any other error of the API server than 403, 404 and 501
 * @throws {ConnectionError} when the API server does not respond
 */
export const readLive = async (
  api: Pick<KubeApi, 'list'>,
  { kinds, namespaces }: ReadLiveOptions,
): Promise<LiveState> => {
  const needs = [...needsOf(kinds).values()];
  const needed = needs.map(({ kind }) => kind);
  const around = surroundings(needed);
  const definitions = definitionsFor(kinds, needed);
  const other = (resource: ApiResource): Wanted => ({ resource, isNeeded: false, namespaces });
  const all: readonly Wanted[] = [
    other(CustomResourceDefinition),
    ...needs.map((need) => ({
      resource: need.kind,
      isNeeded: !need.isOptional,
      namespaces: namespacesOf(need, namespaces),
      ...(need.kind.elsewhere && need.labelSelector !== undefined && { labelSelector: need.labelSelector }),
    })),
    ...around.map(other),
  ];
  const states: LiveState[] = [];
  for (const wanted of all) {
    const { resource, labelSelector } = wanted;
    const selected = labelSelector === undefined ? {} : { labelSelector };
    const names = resource.scope === 'Cluster' ? undefined : wanted.namespaces;
    const places = names?.map((namespace) => ({ namespace, ...selected })) ?? [selected];
    for (const where of places) states.push(await readable(api, wanted, where));
  }
  // A child elsewhere may also be among the other objects of its kind.
  const objects = new Map(states.flatMap((state) => state.objects).map((object) => [idOf(object), object]));
  return {
    objects: [...objects.values()].filter(
      ({ kind, metadata }) => kind !== CustomResourceDefinition.kind || definitions.has(metadata.name),
    ),
    notes: states.flatMap(({ notes }) => notes),
  };
};
