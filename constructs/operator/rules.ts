import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { refOf } from '#lib/kind/names.ts';
import { groupOf, type KindRef } from '#lib/kind/reference.ts';

/** A rule of a Role or ClusterRole, with sorted lists. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** One right: a verb on a resource of a group. */
interface Right {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
}

const rights = (kind: KindRef, subresource: string, verbs: readonly string[]): Right[] =>
  verbs.map((verb) => ({ group: groupOf(kind.apiVersion), resource: `${kind.plural}${subresource}`, verb }));

/**
 * What the loop asks for about a resource itself: it watches it and writes its status. `get` is the live look when a
 * conflict shows that the watch is behind.
 */
const ownRights = (kind: KindRef): Right[] => [
  ...rights(kind, '', ['get', 'list', 'watch']),
  ...rights(kind, '/status', ['patch']),
];

/** About children: `get` is the live look-up of a name that is taken. */
const childRights = (kind: KindRef): Right[] => rights(kind, '', ['create', 'delete', 'get', 'list', 'watch']);

/** About related kinds: look-ups are answered from the cache. */
const readRights = (kind: KindRef): Right[] => rights(kind, '', ['list', 'watch']);

/** Of the operator itself, whatever it runs: it tells people what happened. */
const operatorRights: readonly Right[] = ['create', 'patch'].map((verb) => ({
  group: 'events.k8s.io',
  resource: 'events',
  verb,
}));

const sortedSet = (values: readonly string[]): string[] => [...new Set(values)].toSorted();

/**
 * The rights that the loop needs for some kinds: exactly those it uses, merged and sorted, never a wildcard.
 *
 * @param kinds - the definitions that one operator runs
 * @returns one rule per group and set of verbs
 */
export const policyRules = (kinds: readonly AnyKindDefinition[]): PolicyRule[] => {
  const all = [
    ...operatorRights,
    ...kinds.flatMap((kind) => [
      ...ownRights(refOf(kind)),
      ...kind.owns.flatMap(childRights),
      ...(kind.reads ?? []).flatMap(readRights),
    ]),
  ];
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
