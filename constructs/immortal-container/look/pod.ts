import { mainContainerOf, START_ORDINAL } from '#constructs/immortal-container/identity.ts';
import type { Spec } from '#constructs/immortal-container/types.ts';
import {
  isFinished,
  isReady,
  isTerminating,
  type ObservedPod,
  podCondition,
  readySince,
} from '#lib/workload/pod-state.ts';

const isTrue = (pod: ObservedPod, type: string): boolean => podCondition(pod, type)?.status === 'True';

/** The instant since which the pod is ready; its creation if this instant is unknown; `undefined` if it is not ready. */
export const readySinceOf = (pod: ObservedPod): string | undefined =>
  isReady(pod) ? (readySince(pod) ?? pod.metadata?.creationTimestamp) : undefined;

/**
 * Values of `status.reason` of pods that a disruption ended. The reasons are from the packages `eviction`, `preemption`,
 * `nodeshutdown` and `util/node` of Kubernetes.
 */
const disruptions: ReadonlySet<string> = new Set(['Evicted', 'Preempting', 'Terminated', 'NodeLost']);

/** Whether a disruption ended the pod: a deletion, an eviction, a preemption, a node shutdown, or the loss of its node. */
export const isDisrupted = (pod: ObservedPod): boolean =>
  isTerminating(pod) || isTrue(pod, 'DisruptionTarget') || disruptions.has(pod.status?.reason ?? '');

/** The final termination of the main container; `undefined` while the container runs, or if the kubelet starts it again. */
export const mainEndOf = ({ status }: ObservedPod, spec: Spec) => {
  const main = mainContainerOf(spec);
  const terminated = status?.containerStatuses?.find(({ name }) => name === main)?.state?.terminated;
  const isFinal = spec.restartPolicy === 'Never' || (spec.restartPolicy === 'OnFailure' && terminated?.exitCode === 0);
  return isFinal ? terminated : undefined;
};

/**
 * Whether the run of the pod has ended: the pod is finished, or its main container has ended for good. Other containers may still
 * run.
 */
export const hasRunEnded = (pod: ObservedPod, spec: Spec): boolean =>
  isFinished(pod) || mainEndOf(pod, spec) !== undefined;

/**
 * The container termination that describes a run; `undefined` if no container has terminated. The main container is preferred if
 * it has ended for good, then a failed container, then the container that ended last.
 */
export const terminationOf = (pod: ObservedPod, spec: Spec) => {
  const main = mainEndOf(pod, spec);
  if (main !== undefined) return main;
  const ended = (pod.status?.containerStatuses ?? []).flatMap(({ state }) => state?.terminated ?? []);
  const failed = ended.find(({ exitCode }) => exitCode !== 0);
  return failed ?? ended.toSorted((a, b) => ((a.finishedAt ?? '') < (b.finishedAt ?? '') ? 1 : -1))[0];
};

/** The number of container restarts in this pod, without init containers. */
export const restartsOf = ({ status }: ObservedPod): number =>
  (status?.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);

/** Whether the scheduler found no node for the pod. */
export const isUnschedulable = (pod: ObservedPod): boolean => {
  const scheduled = podCondition(pod, 'PodScheduled');
  return scheduled?.status === 'False' && scheduled.reason === 'Unschedulable';
};

/** The start number of the pod, counted from 1; 0 for a pod without a valid annotation. */
export const ordinalOf = ({ metadata }: ObservedPod): number => {
  const text = metadata?.annotations?.[START_ORDINAL] ?? '';
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0;
};
