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

/** The instant at which the pod became ready; `undefined` when the pod is not ready. */
export const readySinceOf = (pod: ObservedPod): string | undefined =>
  isReady(pod) ? (readySince(pod) ?? pod.metadata?.creationTimestamp) : undefined;

/**
 * The reasons in the status of pods that were ended by a disruption. The reasons are from the packages `eviction`, `preemption`,
 * `nodeshutdown` and `util/node` of Kubernetes.
 */
const disruptions: ReadonlySet<string> = new Set(['Evicted', 'Preempting', 'Terminated', 'NodeLost']);

/** Whether the pod was ended from outside: by eviction, by preemption, or because its node was lost. */
export const isDisrupted = (pod: ObservedPod): boolean =>
  isTerminating(pod) || isTrue(pod, 'DisruptionTarget') || disruptions.has(pod.status?.reason ?? '');

/**
 * The termination of the main container; `undefined` while the container runs, and when the kubelet starts it again.
 */
export const mainEndOf = ({ status }: ObservedPod, spec: Spec) => {
  const main = mainContainerOf(spec);
  const terminated = status?.containerStatuses?.find(({ name }) => name === main)?.state?.terminated;
  const isFinal = spec.restartPolicy === 'Never' || (spec.restartPolicy === 'OnFailure' && terminated?.exitCode === 0);
  return isFinal ? terminated : undefined;
};

/** Whether the run is over: the pod has ended, or its main container has ended. Other containers may still run. */
export const hasRunEnded = (pod: ObservedPod, spec: Spec): boolean =>
  isFinished(pod) || mainEndOf(pod, spec) !== undefined;

/**
 * The container termination that describes a run: of the main container if it has ended for good, else of a failed container,
 * else of the container that ended last.
 */
export const terminationOf = (pod: ObservedPod, spec: Spec) => {
  const main = mainEndOf(pod, spec);
  if (main !== undefined) return main;
  const ended = (pod.status?.containerStatuses ?? []).flatMap(({ state }) => state?.terminated ?? []);
  const failed = ended.find(({ exitCode }) => exitCode !== 0);
  return failed ?? ended.toSorted((a, b) => ((a.finishedAt ?? '') < (b.finishedAt ?? '') ? 1 : -1))[0];
};

/** The number of container restarts by the kubelet in this pod. */
export const restartsOf = ({ status }: ObservedPod): number =>
  (status?.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);

/** Whether the scheduler found no node for the pod. */
export const isUnschedulable = (pod: ObservedPod): boolean => {
  const scheduled = podCondition(pod, 'PodScheduled');
  return scheduled?.status === 'False' && scheduled.reason === 'Unschedulable';
};

/** The start number of the pod, counted from 1; 0 for a pod without the annotation. */
export const ordinalOf = ({ metadata }: ObservedPod): number => {
  const text = metadata?.annotations?.[START_ORDINAL] ?? '';
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0;
};
