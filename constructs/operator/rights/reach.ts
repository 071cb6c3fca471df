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
   * The owned kinds. An owned kind that the bundle defines is replaced by the kinds that it owns. The kinds that extensions of
   * an owned kind own are added.
   */
  readonly children: readonly KindRef[];
}

const childrenOf = (
  { owns }: AnyKindDefinition,
  known: ReadonlyMap<string, readonly AnyKindDefinition[]>,
  seen: Set<string>,
): readonly KindRef[] =>
  owns.flatMap((child) => {
    const name = kindName(child);
    if (seen.has(name)) return [];
    seen.add(name);
    const definitions = known.get(name) ?? [];
    const isDefined = definitions.some(({ extension }) => extension === undefined);
    return [...(isDefined ? [] : [child]), ...definitions.flatMap((each) => childrenOf(each, known, seen))];
  });

/**
 * Lists, for each definition, the kinds that the operator writes directly or through other definitions of the bundle.
 *
 * @param kinds - all kinds of the bundle
 */
export const reachOf = (kinds: readonly AnyKindDefinition[]): readonly Reach[] => {
  const known = Map.groupBy(kinds, (each) => kindName(refOf(each)));
  return kinds.map((definition) => ({ definition, children: childrenOf(definition, known, new Set()) }));
};

/** Whether the operator or a built-in controller creates pods for a resource of the definition. */
export const runsPods = ({ children }: Reach): boolean => children.some((child) => POD_RUNNERS.has(kindName(child)));

/** Returns the children whose kinds are neither built in nor defined by the bundle. Their controllers may create pods. */
export const unknownChildren = ({ children }: Reach): readonly KindRef[] =>
  children.filter(({ apiVersion }) => !BUILT_IN_GROUPS.has(groupOf(apiVersion)));
