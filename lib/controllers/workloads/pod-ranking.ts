import { memberOf } from '#lib/json.ts';
import { isActivePod, isReadyPod, podReadySince } from '../pod-state.ts';
import type { StoredPod } from '../workload.ts';

/**
 * The deletion cost in the annotation of a pod; 0 if it is absent or invalid.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/v1/helper/helpers.go (`GetDeletionCostFromPodAnnotations`)
 */
const deletionCost = ({ metadata }: StoredPod): number => {
  const text = memberOf(metadata.annotations, 'controller.kubernetes.io/pod-deletion-cost') ?? '0';
  if (!/^(?:0|[1-9][0-9]*|-[1-9][0-9]*|-0)$/.test(text)) return 0;
  const cost = Number(text);
  return cost > 2 ** 31 - 1 || cost < -(2 ** 31) ? 0 : cost;
};

const phaseRank = ({ status }: StoredPod): number =>
  status?.phase === 'Unknown' ? 1 : Number(status?.phase === 'Running') * 2;

const restarts = ({ spec, status }: StoredPod): readonly [regular: number, sidecar: number] => {
  const sidecars = new Set((spec.initContainers ?? []).filter((c) => c.restartPolicy === 'Always').map((c) => c.name));
  const regular = (status?.containerStatuses ?? []).map((c) => c.restartCount);
  const sidecar = (status?.initContainerStatuses ?? []).filter((c) => sidecars.has(c.name)).map((c) => c.restartCount);
  return [Math.max(0, ...regular), Math.max(0, ...sidecar)];
};

/** The base-2 logarithm of an age in nanoseconds, rounded down; −1 for an age of 0. */
const ageRank = (time: number, now: number): number =>
  now - time > 0 ? Math.trunc(Math.log2((now - time) * 1_000_000)) : -1;

const byUid = (a: StoredPod, b: StoredPod): number => (a.metadata.uid < b.metadata.uid ? -1 : 1);

/** Compares pods by their age on a logarithmic scale, youngest first. A pod without a time counts as youngest. */
const byAge = (
  [a, timeA]: [StoredPod, number | undefined],
  [b, timeB]: [StoredPod, number | undefined],
  now: number,
): number => {
  if (timeA === timeB) return 0;
  if (timeA === undefined || timeB === undefined) return timeA === undefined ? -1 : 1;
  return ageRank(timeA, now) - ageRank(timeB, now) || byUid(a, b);
};

interface Ranking {
  /** Number of active related pods per node. */
  readonly onNode: ReadonlyMap<string, number>;
  readonly now: number;
}

const created = ({ metadata }: StoredPod): number => Date.parse(metadata.creationTimestamp);

/**
 * Compares two pods; the pod to delete first comes first.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/controller_utils.go (`ActivePodsWithRanks.Less`)
 */
const compare = (a: StoredPod, b: StoredPod, { onNode, now }: Ranking): number => {
  const [nodeA, nodeB] = [a.spec.nodeName ?? '', b.spec.nodeName ?? ''];
  if (nodeA !== nodeB && (nodeA === '' || nodeB === '')) return nodeA === '' ? -1 : 1;
  const [readyA, readyB] = [isReadyPod(a), isReadyPod(b)];
  const early = phaseRank(a) - phaseRank(b) || Number(readyA) - Number(readyB) || deletionCost(a) - deletionCost(b);
  if (early !== 0) return early;
  const crowded = (onNode.get(nodeB) ?? 0) - (onNode.get(nodeA) ?? 0);
  if (crowded !== 0) return crowded;
  const byReadiness = readyA && readyB ? byAge([a, podReadySince(a)], [b, podReadySince(b)], now) : 0;
  if (byReadiness !== 0) return byReadiness;
  const [regularA, sidecarA] = restarts(a);
  const [regularB, sidecarB] = restarts(b);
  const byRestarts = regularB - regularA || sidecarB - sidecarA;
  if (byRestarts !== 0) return byRestarts;
  return byAge([a, created(a)], [b, created(b)], now);
};

/**
 * Returns the `count` pods that a ReplicaSet or a Job deletes first. The criteria, in descending order: no node, not running, not
 * ready, low deletion cost, many related pods on the node, ready for a short time, many restarts, young. Pods with different
 * times of the same magnitude are ordered by uid. Other equal pods keep their order in `pods`; a real controller has no defined
 * order for such pods.
 *
 * @param related - the pods of all ReplicaSets of the same owner; inactive pods are ignored
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/replicaset/replica_set.go (`getPodsToDelete`)
 */
export const podsToDelete = (
  pods: readonly StoredPod[],
  { related, count, now }: { readonly related: readonly StoredPod[]; readonly count: number; readonly now: number },
): readonly StoredPod[] => {
  if (count >= pods.length) return pods;
  const onNode = new Map<string, number>();
  for (const pod of related) {
    const node = pod.spec.nodeName ?? '';
    if (isActivePod(pod)) onNode.set(node, (onNode.get(node) ?? 0) + 1);
  }
  return pods.toSorted((a, b) => compare(a, b, { onNode, now })).slice(0, count);
};
