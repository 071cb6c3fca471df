import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ApiError, ForesightError } from '#lib/errors.ts';
import { namesOf } from '#lib/kind/names.ts';
import { Deployment, type KindRef, Pod, resourceName } from '#lib/kind/reference.ts';
import type { ApiObject, ApiResource, KubeApi } from '#lib/kube/api.ts';
import { needsOf, sourceId } from '#lib/loop/source/needs.ts';
import type { LiveObject } from './live-object.ts';

/** What is read of a cluster. */
export interface ReadLiveOptions {
  readonly kinds: readonly AnyKindDefinition[];
  /** Other objects lie elsewhere and concern nobody here. @default all namespaces */
  readonly namespaces?: readonly string[];
}

/** What was read of a cluster. */
export interface LiveState {
  readonly objects: readonly LiveObject[];
  /** What could not be read; sentences for people. */
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

/** What the others of a cluster look at. */
const surroundings = (needed: readonly KindRef[]): readonly ApiResource[] => {
  const ids = new Set(needed.map(sourceId));
  const hasDeployments = ids.has(sourceId(Deployment));
  return [Namespace, Node, ResourceQuota, ...(hasDeployments ? [ReplicaSet, Pod] : [])].filter(
    (kind) => !ids.has(sourceId(kind)),
  );
};

const pagesOf = async (api: Pick<KubeApi, 'list'>, resource: ApiResource, where: { readonly namespace?: string }) => {
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

/** Whether a look ahead means nothing without it. */
interface Wanted {
  readonly resource: ApiResource;
  readonly isNeeded: boolean;
}

/** What is not served is not there. What this user may not see may well be: without what kinds own or read, every answer would be wrong. */
const unread = ({ resource, isNeeded }: Wanted, cause: unknown, namespace: string | undefined): string => {
  const status = cause instanceof ApiError ? cause.httpStatus : undefined;
  const what = `${resourceName(resource)}${namespace === undefined ? '' : ` in namespace ${namespace}`}`;
  if (status === 404) return `${what} are not served (404), so there are none`;
  if (status !== 403) throw cause;
  if (!isNeeded)
    return `UNKNOWN: ${what} may not be read (403); what follows is told as if there were none, and may be otherwise`;
  throw new ForesightError(
    `Cannot look ahead: ${what} may not be read (403), so what is there is unknown; grant the verb list on them, or give a dump with --against`,
    { cause },
  );
};

const readable = async (
  api: Pick<KubeApi, 'list'>,
  wanted: Wanted,
  where: { readonly namespace?: string },
): Promise<LiveState> => {
  try {
    const objects = await pagesOf(api, wanted.resource, where);
    return { objects: objects as unknown as readonly LiveObject[], notes: [] };
  } catch (error) {
    return { objects: [], notes: [unread(wanted, error, where.namespace)] };
  }
};

/** Those of the kinds, and of whatever else the kinds own or read. */
const definitionsFor = (kinds: readonly AnyKindDefinition[], needed: readonly KindRef[]): ReadonlySet<string> =>
  new Set([...kinds.map((kind) => namesOf(kind).crdName), ...needed.map(resourceName)]);

/**
 * Reads all that a plan starts from: resources of the kinds, their children, what they look up, and what the rest of the
 * cluster goes by.
 *
 * Caveats: resources are read one after the other, so what changes meanwhile may be seen half. Secrets are read only where a kind
 * declares to read them.
 *
 * @throws {ForesightError} when what the kinds own or read may not be read
 * @throws {ApiError} what the server answers, other than 403 and 404
 * @throws {ConnectionError} when there is no answer
 */
export const readLive = async (
  api: Pick<KubeApi, 'list'>,
  { kinds, namespaces }: ReadLiveOptions,
): Promise<LiveState> => {
  const needs = [...needsOf(kinds).values()];
  const needed = needs.map(({ kind }) => kind);
  const around = surroundings(needed);
  const definitions = definitionsFor(kinds, needed);
  const all: readonly Wanted[] = [
    { resource: CustomResourceDefinition, isNeeded: false },
    ...needs.map(({ kind, isOptional }) => ({ resource: kind, isNeeded: !isOptional })),
    ...around.map((resource) => ({ resource, isNeeded: false })),
  ];
  const states: LiveState[] = [];
  for (const wanted of all) {
    const places =
      wanted.resource.scope === 'Cluster' || namespaces === undefined
        ? [{}]
        : namespaces.map((namespace) => ({ namespace }));
    for (const where of places) states.push(await readable(api, wanted, where));
  }
  const objects = states.flatMap((state) => state.objects);
  return {
    objects: objects.filter(
      ({ kind, metadata }) => kind !== CustomResourceDefinition.kind || definitions.has(metadata.name),
    ),
    notes: states.flatMap(({ notes }) => notes),
  };
};
