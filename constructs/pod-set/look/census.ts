import { podName } from '#constructs/pod-set/pods.ts';
import { after, type Clock } from '#lib/desired/clock.ts';
import { isReady, isTerminating, type ObservedPod, readySince } from '#lib/workload/pod-state.ts';
import { podRevision } from '#lib/workload/pod-template.ts';

/** A pod that counts as a replica. */
export interface Replica {
  readonly pod: ObservedPod;
  readonly name: string;
  /** Whether the pod has the desired revision. True for each pod of a kind without revisions. */
  readonly isUpdated: boolean;
  readonly isReady: boolean;
  /** Whether the pod has been ready for at least `minReadySeconds`. */
  readonly isAvailable: boolean;
}

/** Pods by category, each category in the given order. */
export interface Census {
  /** The replicas: pods that are neither terminating nor failed nor succeeded. */
  readonly active: readonly Replica[];
  /** Pods that are being deleted. Their names cannot be used for new pods yet. */
  readonly terminating: readonly ObservedPod[];
  readonly failed: readonly ObservedPod[];
  readonly succeeded: readonly ObservedPod[];
}

/** The options of {@link censusOf}. */
export interface CensusOptions {
  /** The hash of the desired revision; `undefined` for a kind without revisions, such as AppService. */
  readonly revision: string | undefined;
  readonly minReadySeconds: number;
  readonly clock: Clock;
}

/** Whether a ready pod is available. If its condition Ready has no transition time, the time counts from its creation. */
const isAvailable = (pod: ObservedPod, { minReadySeconds, clock }: CensusOptions): boolean => {
  if (minReadySeconds === 0) return true;
  const since = readySince(pod) ?? pod.metadata?.creationTimestamp;
  return since !== undefined && clock.reached(after(since, minReadySeconds));
};

const replicaOf = (pod: ObservedPod, options: CensusOptions): Replica => {
  const ready = isReady(pod);
  return {
    pod,
    name: podName(pod),
    isUpdated: options.revision === undefined || podRevision(pod) === options.revision,
    isReady: ready,
    isAvailable: ready && isAvailable(pod, options),
  };
};

/** Sorts pods into categories. A pod in phase Unknown counts as active, because its containers may still run. */
export const censusOf = (pods: readonly ObservedPod[], options: CensusOptions): Census => {
  const active: Replica[] = [];
  const terminating: ObservedPod[] = [];
  const failed: ObservedPod[] = [];
  const succeeded: ObservedPod[] = [];
  for (const pod of pods) {
    if (isTerminating(pod)) terminating.push(pod);
    else if (pod.status?.phase === 'Failed') failed.push(pod);
    else if (pod.status?.phase === 'Succeeded') succeeded.push(pod);
    else active.push(replicaOf(pod, options));
  }
  return { active, terminating, failed, succeeded };
};

/** The numbers of active pods by category, and the number of terminating pods. */
export interface Counts {
  readonly active: number;
  readonly updated: number;
  readonly ready: number;
  readonly available: number;
  readonly updatedAvailable: number;
  readonly terminating: number;
}

/** Counts the pods of a census by category. */
export const countsOf = ({ active, terminating }: Pick<Census, 'active' | 'terminating'>): Counts => {
  let [updated, ready, available, updatedAvailable] = [0, 0, 0, 0];
  for (const replica of active) {
    if (replica.isUpdated) updated += 1;
    if (replica.isReady) ready += 1;
    if (replica.isAvailable) available += 1;
    if (replica.isAvailable && replica.isUpdated) updatedAvailable += 1;
  }
  return { active: active.length, updated, ready, available, updatedAvailable, terminating: terminating.length };
};
