import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { Extension } from '#lib/kind/extension.ts';
import { groupOf, type KindRef } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { quotasOf } from './quota.ts';

/** A rule of a Role or ClusterRole, with sorted lists. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  /** The names of the objects. @default objects of any name */
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** Whether a right is for the namespaces of the operator, or for cluster-scoped objects and objects in any namespace. */
export type RightsScope = KindRef['scope'];

/** One right: a verb on a resource of a group. */
interface Right {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  readonly scope: RightsScope;
}

const rights = (kind: KindRef, subresource: string, verbs: readonly string[]): Right[] =>
  verbs.map((verb) => ({
    group: groupOf(kind.apiVersion),
    resource: `${kind.plural}${subresource}`,
    verb,
    scope: kind.scope,
  }));

/**
 * Whether the loop adds a finalizer to the resources of a kind. Parents of extensions get none, because they belong to another
 * controller.
 */
export const needsFinalizer = ({ extension, finalize, owns }: AnyKindDefinition): boolean =>
  extension === undefined && (finalize !== undefined || owns.some((kind) => kind.elsewhere !== undefined));

const ownRights = (kind: AnyKindDefinition): Right[] =>
  kind.extension ? parentRights(kind, kind.extension) : definedRights(kind);

/**
 * The rights on resources of a defined kind: the loop watches resources, and writes their status. `get` is for live gets, and
 * `patch` for the finalizer. No request uses `update` on `finalizers`. The admission plugin
 * OwnerReferencesPermissionEnforcement requires this right for children with `blockOwnerDeletion`.
 */
const definedRights = (kind: AnyKindDefinition): Right[] => [
  ...rights(refOf(kind), '', ['get', 'list', 'watch', ...(needsFinalizer(kind) ? ['patch'] : [])]),
  ...rights(refOf(kind), '/status', ['patch']),
  ...(kind.owns.some(({ elsewhere }) => !elsewhere) ? rights(refOf(kind), '/finalizers', ['update']) : []),
];

/**
 * The rights on the parents of an extension: the loop watches the parents, and writes only the condition and the annotation of
 * the extension. An owner reference without `blockOwnerDeletion` needs no right on `finalizers`.
 */
const parentRights = (kind: AnyKindDefinition, { condition, annotation }: Extension): Right[] => [
  ...rights(refOf(kind), '', ['get', 'list', 'watch', ...(annotation ? ['patch'] : [])]),
  ...(condition ? rights(refOf(kind), '/status', ['patch']) : []),
];

/**
 * Rights on children. `get` is for live gets. Creation by apply needs `create` and `patch`.
 */
const childRights = (kind: KindRef): Right[] =>
  placed(kind, rights(kind, '', ['create', 'delete', 'get', 'list', 'patch', 'watch']));

const placed = ({ elsewhere }: KindRef, all: readonly Right[]): Right[] =>
  all.map((right) => (elsewhere?.namespaces === 'any' ? { ...right, scope: 'Cluster' } : right));

/** Rights on related kinds and quotas. `get` is not necessary, because the cache answers look-ups. */
const readRights = (kind: KindRef): Right[] => placed(kind, rights(kind, '', ['list', 'watch']));

/** The namespaces that a handle of `elsewhere()` names; empty for other handles, for `any`, and for cluster-scoped kinds. */
const namedPlaces = ({ elsewhere }: KindRef): readonly string[] =>
  Array.isArray(elsewhere?.namespaces) ? elsewhere.namespaces : [];

const hasNoNames = (kind: KindRef): boolean => namedPlaces(kind).length === 0;

/**
 * The namespaces outside of the namespaces of the operator in which kinds have children or look up objects, by name: those that
 * `elsewhere()` names.
 */
export const namespacesElsewhere = (kinds: readonly AnyKindDefinition[]): readonly string[] =>
  sortedSet(kinds.flatMap(({ owns, reads = [] }) => [...owns, ...reads].flatMap(namedPlaces)));

/** The rights that the loop needs in a namespace that `elsewhere()` names, in addition to those of {@link policyRules}. */
export const elsewhereRules = (kinds: readonly AnyKindDefinition[], namespace: string): PolicyRule[] => {
  const isThere = (kind: KindRef): boolean => namedPlaces(kind).includes(namespace);
  return merged(
    kinds.flatMap(({ owns, reads = [] }) => [
      ...owns.filter(isThere).flatMap(childRights),
      ...reads.filter(isThere).flatMap(readRights),
    ]),
  );
};

const EVENT_VERBS = ['create', 'patch'];

/** Rights to write events in the namespace of their objects. */
const eventRights = (kind: AnyKindDefinition): Right[] =>
  isInNamespaces(kind)
    ? EVENT_VERBS.map((verb) => ({ group: 'events.k8s.io', resource: 'events', verb, scope: 'Namespaced' }))
    : [];

const isInNamespaces = (kind: AnyKindDefinition): boolean => refOf(kind).scope === 'Namespaced';

/** Whether rights on events are included. */
export interface EventRules {
  /** Whether events are written. @default true */
  readonly hasEvents?: boolean;
}

/** The namespace for events of cluster-scoped objects. */
export const EVENTS_OF_CLUSTER = 'default';

/**
 * The rights that the loop needs in the namespace {@link EVENTS_OF_CLUSTER} in addition to those of {@link policyRules}: the
 * rights to write events about cluster-scoped resources.
 *
 * @param options - `namespaces`: the namespaces that the operator watches; undefined for all
 */
export const clusterEventRules = (
  kinds: readonly AnyKindDefinition[],
  { namespaces, hasEvents = true }: { readonly namespaces?: readonly string[] | undefined } & EventRules = {},
): PolicyRule[] => {
  if (!hasEvents) return [];
  const isGranted = kinds.some(isInNamespaces) && (namespaces?.includes(EVENTS_OF_CLUSTER) ?? true);
  if (isGranted || kinds.every(isInNamespaces)) return [];
  return [{ apiGroups: ['events.k8s.io'], resources: ['events'], verbs: EVENT_VERBS }];
};

/**
 * Rights for HTTP effects: to read single Secrets with URLs or credentials, and single ConfigMaps or Secrets with certificates.
 * These objects are in the namespace of the resource. The effects need no right to list them.
 */
const effectRights = (kind: AnyKindDefinition): Right[] =>
  isInNamespaces(kind)
    ? ['configmaps', 'secrets'].map((resource) => ({ group: '', resource, verb: 'get', scope: 'Namespaced' }))
    : [];

/** Options of {@link policyRules}. */
export interface RulesOptions extends EventRules {
  /** Selects the rights in the namespaces of the operator, or the others. @default both */
  readonly scope?: RightsScope | undefined;
  /** Whether HTTP effects are allowed, with credentials from Secrets. @default false */
  readonly hasEffects?: boolean;
}

const sortedSet = (values: readonly string[]): string[] => [...new Set(values)].toSorted();

/**
 * The rights that the loop needs for some kinds, merged and sorted, without wildcards. Events about cluster-scoped resources also
 * need {@link clusterEventRules}, and children in named namespaces {@link elsewhereRules}.
 *
 * @param kinds - the definitions that one operator runs
 * @returns one rule per group and set of verbs
 */
export const policyRules = (
  kinds: readonly AnyKindDefinition[],
  { scope, hasEffects = false, hasEvents = true }: RulesOptions = {},
): PolicyRule[] => {
  const all = kinds
    .flatMap((kind) => [
      ...ownRights(kind),
      ...kind.owns.filter(hasNoNames).flatMap(childRights),
      ...[...(kind.reads ?? []).filter(hasNoNames), ...quotasOf(kind)].flatMap(readRights),
      ...(hasEvents ? eventRights(kind) : []),
      ...(hasEffects ? effectRights(kind) : []),
    ])
    .filter((right) => scope === undefined || right.scope === scope);
  return merged(all);
};

const merged = (all: readonly Right[]): PolicyRule[] => {
  const byResource = Map.groupBy(all, ({ group, resource }) => `${group}/${resource}`);
  const perResource = [...byResource.values()].map((same) => ({
    group: same[0]?.group ?? '',
    resource: same[0]?.resource ?? '',
    verbs: sortedSet(same.map(({ verb }) => verb)),
  }));
  const byVerbs = Map.groupBy(perResource, ({ group, verbs }) => `${group} ${verbs.join(',')}`);
  return [...byVerbs.keys()].toSorted().map((id) => {
    const same = byVerbs.get(id) ?? [];
    const resources = sortedSet(same.map(({ resource }) => resource));
    return { apiGroups: [same[0]?.group ?? ''], resources, verbs: same[0]?.verbs ?? [] };
  });
};
