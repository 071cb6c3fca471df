import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { Condition } from '#lib/desired/result/conditions.ts';
import type { ClusterView } from '#lib/sim/world/scenario/scenario.ts';

/** A pod as it is stored. */
export interface StoredPod extends ServerObject {
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** A PodSet as it is stored. */
export interface StoredPodSet extends ServerObject {
  readonly spec: { readonly replicas: number };
  readonly status?: {
    readonly replicas: number;
    readonly readyReplicas: number;
    readonly podNames: readonly string[];
    readonly observedGeneration: number;
    readonly conditions: readonly Condition[];
  };
}

/** All pods. */
export const podsIn = (view: ClusterView): readonly StoredPod[] => view.objects({ group: '', plural: 'pods' });

/** All PodSets. */
export const podSetsIn = (view: ClusterView): readonly StoredPodSet[] =>
  view.objects({ group: 'app.example.com', plural: 'podsets' }) as unknown as readonly StoredPodSet[];

/** The uid of the PodSet that owns a pod; `undefined` for a foreign pod. */
export const setUidOf = ({ metadata }: ServerObject): string | undefined =>
  metadata.ownerReferences?.find(({ controller, kind }) => controller === true && kind === 'PodSet')?.uid;

/** True for pods that count as replicas. */
export const isActive = ({ metadata, status }: StoredPod): boolean =>
  metadata.deletionTimestamp === undefined && status?.phase !== 'Failed' && status?.phase !== 'Succeeded';

/** The active pods of each PodSet, by its uid. */
export const activePods = (view: ClusterView): ReadonlyMap<string, readonly StoredPod[]> =>
  Map.groupBy(podsIn(view).filter(isActive), (pod) => setUidOf(pod) ?? '');
