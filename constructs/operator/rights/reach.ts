import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { groupOf, type KindRef } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';

/** Built-in kinds whose objects are pods or create pods. */
const POD_RUNNERS: ReadonlySet<string> = new Set([
  'Pod.',
  'ReplicationController.',
  'Deployment.apps',
  'ReplicaSet.apps',
  'StatefulSet.apps',
  'DaemonSet.apps',
  'Job.batch',
  'CronJob.batch',
]);

/** API groups of Kubernetes. The ending `.k8s.io` does not identify them, because groups of other projects have it, too. */
const BUILT_IN_GROUPS: ReadonlySet<string> = new Set([
  '',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'apps',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
  'storagemigration.k8s.io',
]);

/** A kind with its group, such as `Deployment.apps`. A kind of the core group has an empty group: `Pod.`. */
export const kindName = ({ kind, apiVersion }: Pick<KindRef, 'kind' | 'apiVersion'>): string =>
  `${kind}.${groupOf(apiVersion)}`;

/** The kinds that the operator writes for a resource of one definition. */
export interface Reach {
  readonly definition: AnyKindDefinition;
  /**
   * The owned kinds, with their places elsewhere. An owned kind that the bundle defines is replaced by the kinds that it owns. The
   * kinds that extensions of an owned kind own are added.
   */
  readonly children: readonly KindRef[];
  /** The definition, its extensions, and the definitions of the bundle whose resources it owns, directly or through others. */
  readonly definitions: readonly AnyKindDefinition[];
}

/** The kinds of a bundle by name, and the names and places that were visited. */
interface Search {
  readonly known: ReadonlyMap<string, readonly AnyKindDefinition[]>;
  readonly seen: Set<string>;
}

const childrenOf = (
  { owns }: AnyKindDefinition,
  { known, seen }: Search,
  place?: KindRef['elsewhere'],
): readonly KindRef[] =>
  owns.flatMap((owned) => {
    const where = owned.elsewhere ?? place;
    const child = where === undefined ? owned : { ...owned, elsewhere: where };
    const name = kindName(child);
    const id = `${name} ${JSON.stringify(where)}`;
    if (seen.has(id)) return [];
    seen.add(id);
    const definitions = known.get(name) ?? [];
    const isDefined = definitions.some(({ extension }) => extension === undefined);
    return [...(isDefined ? [] : [child]), ...definitions.flatMap((each) => childrenOf(each, { known, seen }, where))];
  });

const definitionsFrom = (
  all: readonly AnyKindDefinition[],
  known: Search['known'],
  seen = new Set<AnyKindDefinition>(),
): ReadonlySet<AnyKindDefinition> => {
  for (const definition of all) {
    if (seen.has(definition)) continue;
    seen.add(definition);
    for (const owned of definition.owns) definitionsFrom(known.get(kindName(owned)) ?? [], known, seen);
  }
  return seen;
};

/**
 * Lists, for each definition, the kinds that the operator writes directly or through other definitions of the bundle.
 *
 * @param kinds - all kinds of the bundle
 */
export const reachOf = (kinds: readonly AnyKindDefinition[]): readonly Reach[] => {
  const known = Map.groupBy(kinds, (each) => kindName(refOf(each)));
  return kinds.map((definition) => {
    const seen = new Set<string>();
    const extensions = (known.get(kindName(refOf(definition))) ?? []).filter(({ extension }) => extension);
    const all = definition.extension ? [definition] : [definition, ...extensions];
    const children = all.flatMap((each) => childrenOf(each, { known, seen }));
    return { definition, children, definitions: [...definitionsFrom(all, known)] };
  });
};

/** Whether a child is of a built-in kind whose objects are pods or create pods. */
export const isPodRunner = (child: KindRef): boolean => POD_RUNNERS.has(kindName(child));

/**
 * Whether a child is outside the built-in API groups. {@link Reach} has no kinds that the bundle defines. The controller of
 * such a child may do anything.
 */
export const isUnknown = ({ apiVersion }: KindRef): boolean => !BUILT_IN_GROUPS.has(groupOf(apiVersion));

/** Whether the operator or a built-in controller creates pods for a resource of the definition. */
export const runsPods = ({ children }: Reach): boolean => children.some(isPodRunner);

/** Returns the children whose kinds are neither built in nor defined by the bundle. Their controllers may create pods. */
export const unknownChildren = ({ children }: Reach): readonly KindRef[] => children.filter(isUnknown);
