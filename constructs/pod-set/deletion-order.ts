import { type Instant, microsOf } from '#lib/desired/clock.ts';
import { type ObservedPod, readySince } from '#lib/workload/pod-state.ts';
import type { Replica } from './look/census.ts';
import { DELETION_COST } from './pods.ts';

/**
 * The values of a pod that decide when the pod is deleted. The values are compared one by one; the pod with the lower value is
 * deleted first.
 */
type Rank = readonly (number | string)[];

const phaseRank: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

const deletionCost = (pod: ObservedPod): number => {
  const text = pod.metadata?.annotations?.[DELETION_COST] ?? '';
  return /^[+-]?\d{1,10}$/.test(text) ? Number(text) : 0;
};

/**
 * The age as the exponent of a power of two, in seconds; -1 without an instant. Pods of similar age count as equal, so that the
 * next criteria decide between them.
 */
const ageBucket = (since: Instant | undefined, nowMicros: number): number =>
  since === undefined ? -1 : Math.floor(Math.log2(Math.max(1, (nowMicros - microsOf(since)) / 1_000_000)));

const restarts = (pod: ObservedPod): number =>
  Math.max(0, ...(pod.status?.containerStatuses ?? []).map(({ restartCount }) => restartCount));

const nodeOf = (pod: ObservedPod): string => pod.spec?.nodeName ?? '';

const compareRanks = (a: Rank, b: Rank): number => {
  const index = a.findIndex((value, position) => value !== b[position]);
  if (index === -1) return 0;
  return (a[index] ?? 0) < (b[index] ?? 0) ? -1 : 1;
};

/**
 * Sorts pods into the order in which surplus pods are deleted. The criteria, the most important first:
 *
 * - no node; phase Pending, then Unknown, then Running; not ready; not available
 * - old revision; low deletion cost; many of the given pods on the same node
 * - ready for a short time; many restarts; young; low uid
 *
 * The criteria of a ReplicaSet are similar, but exclude availability and revision.
 *
 * @param replicas - active pods of the set, all or some
 * @param now - the time of the pass, for ages
 * @returns a new list; the first pod is deleted first
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/#scaling-a-replicaset
 */
export const inDeletionOrder = (replicas: readonly Replica[], now: Instant): Replica[] => {
  const nowMicros = microsOf(now);
  const perNode = Map.groupBy(replicas, ({ pod }) => nodeOf(pod));
  const rankOf = ({ pod, isReady, isAvailable, isUpdated }: Replica): Rank => [
    nodeOf(pod) === '' ? 0 : 1,
    phaseRank[pod.status?.phase ?? 'Unknown'] ?? 1,
    isReady ? 1 : 0,
    isAvailable ? 1 : 0,
    isUpdated ? 1 : 0,
    deletionCost(pod),
    nodeOf(pod) === '' ? 0 : -(perNode.get(nodeOf(pod))?.length ?? 0),
    ageBucket(readySince(pod), nowMicros),
    -restarts(pod),
    ageBucket(pod.metadata?.creationTimestamp, nowMicros),
    pod.metadata?.uid ?? '',
  ];
  const ranked = replicas.map((replica) => ({ replica, rank: rankOf(replica) }));
  return ranked.toSorted((a, b) => compareRanks(a.rank, b.rank)).map(({ replica }) => replica);
};
