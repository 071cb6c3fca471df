import type { Clock } from '#lib/desired/clock.ts';
import { apply, type ChildIntent, keep, remove } from '#lib/desired/intent.ts';
import { freeSlots, selectorString } from '#lib/desired/names.ts';
import { progressing, ready, type State } from '#lib/desired/state.ts';
import { inDeletionOrder } from './deletion-order.ts';
import { classicPod, groupPods, isReady, type ObservedPod, podName } from './pods.ts';
import { POD_NAMES_LENGTH } from './schema.ts';

/** The parent of the pods. */
export interface SetIdentity {
  readonly name: string;
  readonly uid: string;
}

/** Whose pods they are, how many there should be, and what there is. */
export interface ScaleInput {
  readonly set: SetIdentity;
  readonly replicas: number;
  readonly pods: readonly ObservedPod[];
  readonly clock: Clock;
}

const missingPods = ({ set, replicas, pods }: ScaleInput, active: number): ChildIntent[] => {
  const taken = new Set(pods.map(podName));
  const names = freeSlots(Math.max(0, replicas - active), { ...set, taken });
  return names.map((name) => apply(classicPod(name, { app: set.name })));
};

/**
 * What becomes of the pods: enough stay, the surplus goes in deletion order, the missing come, the finished are replaced.
 *
 * Pods that are being deleted hold their names and do not count.
 */
export const scalePods = (input: ScaleInput): ChildIntent[] => {
  const { replicas, pods, clock } = input;
  const { active, terminating, finished } = groupPods(pods);
  const surplus = Math.max(0, active.length - replicas);
  const goAway = new Set(surplus === 0 ? [] : inDeletionOrder(active, clock.now()).slice(0, surplus));
  return [
    ...active.filter((pod) => !goAway.has(pod)).map(keep),
    ...terminating.map(keep),
    ...[...goAway].map((pod) => remove(pod, 'ScaledDown')),
    ...finished.map((pod) => remove(pod, pod.status?.phase === 'Failed' ? 'PodFailed' : 'PodSucceeded')),
    ...missingPods(input, active.length),
  ];
};

/** The status of a set of pods; lists are sorted, so that the same pods always read the same. */
export const podSetStatusOf = (pods: readonly ObservedPod[], labels: Readonly<Record<string, string>>) => {
  const { active } = groupPods(pods);
  const names = active.map(podName).toSorted();
  return {
    replicas: active.length,
    readyReplicas: active.filter(isReady).length,
    podNames: names.slice(0, POD_NAMES_LENGTH),
    ...(names.length > POD_NAMES_LENGTH ? { podNamesTruncated: true } : {}),
    selector: selectorString(labels),
  };
};

/** Ready when exactly the wanted pods exist and all of them are ready. */
export const podSetStateOf = (replicas: number, pods: readonly ObservedPod[]): State => {
  const { active } = groupPods(pods);
  const readyPods = active.filter(isReady).length;
  if (active.length < replicas) return progressing('ScalingUp', `${active.length} of ${replicas} pods exist`);
  if (active.length > replicas)
    return progressing('ScalingDown', `${active.length} pods exist, ${replicas} are wanted`);
  if (readyPods < replicas) return progressing('PodsNotReady', `${readyPods} of ${replicas} pods are ready`);
  return ready('PodsReady', `${replicas} of ${replicas} pods are ready`);
};
