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

/** Since when the pod has been ready; `undefined` when it is not. */
export const readySinceOf = (pod: ObservedPod): string | undefined =>
  isReady(pod) ? (readySince(pod) ?? pod.metadata?.creationTimestamp) : undefined;

/** Reasons of pods that were taken away from the outside (kubelet `eviction`, `preemption`, `nodeshutdown`; `util/node`). */
const disruptions: ReadonlySet<string> = new Set(['Evicted', 'Preempting', 'Terminated', 'NodeLost']);

/** Whether the pod was disrupted from outside: by eviction, preemption or a lost node. */
export const isDisrupted = (pod: ObservedPod): boolean =>
  isTerminating(pod) || isTrue(pod, 'DisruptionTarget') || disruptions.has(pod.status?.reason ?? '');

/** The end of the main container, unless the kubelet starts it again. */
export const mainEndOf = ({ status }: ObservedPod, spec: Spec) => {
  const main = mainContainerOf(spec);
  const terminated = status?.containerStatuses?.find(({ name }) => name === main)?.state?.terminated;
  const isFinal = spec.restartPolicy === 'Never' || (spec.restartPolicy === 'OnFailure' && terminated?.exitCode === 0);
  return isFinal ? terminated : undefined;
};

/** True when the run is over: the pod has ended, or its main container has, whatever its other containers do. */
export const hasRunEnded = (pod: ObservedPod, spec: Spec): boolean =>
  isFinished(pod) || mainEndOf(pod, spec) !== undefined;

/** How a run ended: as the main container did, or else the one that failed, or else the one that ended last. */
export const terminationOf = (pod: ObservedPod, spec: Spec) => {
  const main = mainEndOf(pod, spec);
  if (main !== undefined) return main;
  const ended = (pod.status?.containerStatuses ?? []).flatMap(({ state }) => state?.terminated ?? []);
  const failed = ended.find(({ exitCode }) => exitCode !== 0);
  return failed ?? ended.toSorted((a, b) => ((a.finishedAt ?? '') < (b.finishedAt ?? '') ? 1 : -1))[0];
};

/** How often the kubelet has started containers of the pod again. */
export const restartsOf = ({ status }: ObservedPod): number =>
  (status?.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);

/** True when the scheduler found no node for the pod. */
export const isUnschedulable = (pod: ObservedPod): boolean => {
  const scheduled = podCondition(pod, 'PodScheduled');
  return scheduled?.status === 'False' && scheduled.reason === 'Unschedulable';
};

/** Which start the pod is, counted from 1; 0 for a pod that does not say. */
export const ordinalOf = ({ metadata }: ObservedPod): number => {
  const text = metadata?.annotations?.[START_ORDINAL] ?? '';
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0;
};
