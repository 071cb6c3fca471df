import { isReadyPod } from '../../pod-state.ts';
import { nodeFitness } from './daemon-set-nodes.ts';
import { type DaemonView, isAvailableIn } from './daemon-set-pods.ts';
import { isUpdatedIn } from './daemon-set-rollout.ts';
import type { DaemonSetStatus, StoredDaemonSet } from './stored-sets.ts';

/**
 * Returns the status of a DaemonSet. Like Go, omits the counts of updated, available and unavailable pods when they are zero.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/daemon/daemon_controller.go (`updateDaemonSetStatus`)
 */
export const daemonSetStatus = (view: DaemonView): DaemonSetStatus => {
  const { set, nodes, pods } = view;
  const wanted = nodes.filter((node) => nodeFitness(node, set).shouldRun);
  const first = wanted.flatMap(({ name }) => pods.get(name)?.slice(0, 1) ?? []);
  const ready = first.filter(isReadyPod);
  const updated = first.filter((pod) => isUpdatedIn(view, pod)).length;
  const available = ready.filter((pod) => isAvailableIn(view, pod)).length;
  const unavailable = wanted.length - available;
  const { collisionCount, conditions } = set.status ?? {};
  const { generation } = set.metadata;
  return {
    ...(collisionCount !== undefined && { collisionCount }),
    ...(conditions && { conditions }),
    currentNumberScheduled: first.length,
    numberMisscheduled: nodes.filter((node) => !wanted.includes(node) && pods.has(node.name)).length,
    desiredNumberScheduled: wanted.length,
    numberReady: ready.length,
    ...(updated > 0 && { updatedNumberScheduled: updated }),
    ...(available > 0 && { numberAvailable: available }),
    ...(unavailable > 0 && { numberUnavailable: unavailable }),
    ...(generation !== undefined && { observedGeneration: generation }),
  };
};

const counts = [
  'desiredNumberScheduled',
  'currentNumberScheduled',
  'numberMisscheduled',
  'numberReady',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
] as const;

/**
 * Whether the stored status has these counts, and is of the present generation.
 *
 * @see daemon_controller.go
 * (`storeDaemonSetStatus`)
 */
export const isDaemonStatusStored = ({ status, metadata }: StoredDaemonSet, wanted: DaemonSetStatus): boolean =>
  counts.every((count) => (status?.[count] ?? 0) === (wanted[count] ?? 0)) &&
  (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
