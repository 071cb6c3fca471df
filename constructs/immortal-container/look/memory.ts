import { markedRevision, revisionOf } from '#constructs/immortal-container/revision.ts';
import type { LifeMemory, Observed, Spec } from '#constructs/immortal-container/types.ts';
import { after, type Clock } from '#lib/desired/clock.ts';
import { isActive, isTerminating, type ObservedPod } from '#lib/workload/pod-state.ts';
import { boundedStart, consequenceOf } from './backoff.ts';
import { type End, podEndOf, unseenEnd } from './exit.ts';
import { hasRunEnded, ordinalOf, readySinceOf, restartsOf } from './pod.ts';

/** The input of {@link recallLife} besides the memory. */
export interface LifeObservation {
  readonly spec: Spec;
  readonly pod: ObservedPod | undefined;
  readonly clock: Clock;
  /** Whether the status announced a forced deletion of the pod, because its node is lost. */
  readonly wasForced: boolean;
}

const defined = (memory: { readonly [K in keyof LifeMemory]: LifeMemory[K] | undefined }): LifeMemory =>
  Object.fromEntries(Object.entries(memory).filter(([, value]) => value !== undefined)) as unknown as LifeMemory;

/** Reads the memory from the status. Counters that the status does not have are 0. */
export const remembered = ({ status = {} }: Observed): LifeMemory => {
  const { phase: _phase, conditions: _conditions, observedGeneration: _generation, ...rest } = status;
  return { startTimes: 0, consecutiveFailures: 0, containerRestarts: 0, ...rest };
};

/** Whether the last exit in the memory is of this pod. With this check, each end is counted once, even after a crash. */
export const isRecorded = ({ lastExit }: LifeMemory, podUID: string | undefined): boolean =>
  podUID !== undefined && lastExit?.podUID === podUID;

const recorded = (memory: LifeMemory, end: End, { spec, clock }: LifeObservation): LifeMemory => {
  const { nextStartTime: _before, ...rest } = memory;
  return { ...rest, ...consequenceOf(memory, end, { settings: spec.backoff, now: clock.now() }), lastExit: end.exit };
};

/** The reason why the operator has to delete the pod because of the spec; `undefined` if the pod may stay. */
const ourReason = (memory: LifeMemory, { spec, pod }: LifeObservation): string | undefined => {
  if (spec.suspend) return 'Suspended';
  const revision = (pod && markedRevision(pod)) ?? memory.revision;
  return revision !== undefined && revision !== revisionOf(spec) ? 'Replaced' : undefined;
};

const withVanished = (memory: LifeMemory, observation: LifeObservation): LifeMemory => {
  const { currentPodUID } = memory;
  if (currentPodUID === undefined || currentPodUID === observation.pod?.metadata?.uid) return memory;
  if (isRecorded(memory, currentPodUID)) return memory;
  const own = ourReason(memory, { ...observation, pod: undefined });
  const reason = observation.wasForced ? 'NodeLost' : (own ?? 'Deleted');
  return recorded(memory, unseenEnd(currentPodUID, { reason, now: observation.clock.now() }), observation);
};

const isRunning = (pod: ObservedPod, spec: Spec): boolean => isActive(pod) && !hasRunEnded(pod, spec);

/** Counts the end of the existing pod if its run has ended, or if the pod is terminating because of the spec. */
const withEnded = (memory: LifeMemory, pod: ObservedPod, observation: LifeObservation): LifeMemory => {
  const { uid = '' } = pod.metadata ?? {};
  if (isRecorded(memory, uid) || isRunning(pod, observation.spec)) return memory;
  const own = isTerminating(pod) ? ourReason(memory, observation) : undefined;
  if (own !== undefined)
    return recorded(memory, unseenEnd(uid, { reason: own, now: observation.clock.now() }), observation);
  if (!hasRunEnded(pod, observation.spec)) return memory;
  return recorded(memory, podEndOf(pod, { spec: observation.spec, now: observation.clock.now() }), observation);
};

/**
 * The number of starts, including this pod. A pod without a start number does not count, because the operator did not create it.
 * A pod with a recorded end is already counted; a watch that lags can report such a pod again.
 */
const startsWith = (memory: LifeMemory, pod: ObservedPod): number => {
  const { startTimes } = memory;
  const ordinal = ordinalOf(pod);
  if (ordinal === 0 || isRecorded(memory, pod.metadata?.uid)) return startTimes;
  return Math.max(startTimes + 1, ordinal);
};

/**
 * Records a revision. A changed revision resets the count of failures and ends the delay, because the cause of the failures may
 * be corrected.
 */
const withRevision = (memory: LifeMemory, revision: string): LifeMemory => {
  if (memory.revision === undefined || memory.revision === revision) return { ...memory, revision };
  const { nextStartTime: _next, ...rest } = memory;
  return { ...rest, revision, consecutiveFailures: 0 };
};

/**
 * Records a pod with a new uid, and counts its start. The revision may be new as well, because the spec may have changed while no
 * operator ran.
 */
const withArrived = (memory: LifeMemory, pod: ObservedPod): LifeMemory => {
  const { uid, name, creationTimestamp } = pod.metadata ?? {};
  if (uid === memory.currentPodUID) return memory;
  const revision = markedRevision(pod);
  return defined({
    ...(revision === undefined ? memory : withRevision(memory, revision)),
    startTimes: startsWith(memory, pod),
    currentPod: name,
    currentPodUID: uid,
    lastStartTime: creationTimestamp,
    readySince: undefined,
    nextStartTime: undefined,
  });
};

const withReadiness = (memory: LifeMemory, pod: ObservedPod, { spec, clock }: LifeObservation): LifeMemory => {
  const readySince = isRunning(pod, spec) ? readySinceOf(pod) : memory.readySince;
  const { consecutiveFailures } = memory;
  const isHealthy =
    isRunning(pod, spec) &&
    consecutiveFailures > 0 &&
    readySince !== undefined &&
    clock.reached(after(readySince, spec.backoff.resetAfterSeconds));
  return defined({ ...memory, readySince, consecutiveFailures: isHealthy ? 0 : consecutiveFailures });
};

const withPod = (memory: LifeMemory, pod: ObservedPod, observation: LifeObservation): LifeMemory => {
  const wanted = revisionOf(observation.spec);
  const arrived = withEnded(withArrived(memory, pod), pod, observation);
  const revision = isRunning(pod, observation.spec) ? (markedRevision(pod) ?? arrived.revision ?? wanted) : wanted;
  return { ...withReadiness(withRevision(arrived, revision), pod, observation), containerRestarts: restartsOf(pod) };
};

const withoutPod = (memory: LifeMemory, { spec, clock }: LifeObservation): LifeMemory => {
  const idle = withRevision(memory, revisionOf(spec));
  const next = idle.nextStartTime && boundedStart(idle.nextStartTime, spec.backoff, clock);
  return defined({
    ...idle,
    currentPod: undefined,
    currentPodUID: undefined,
    readySince: undefined,
    containerRestarts: 0,
    nextStartTime: next === undefined || clock.reached(next) ? undefined : next,
  });
};

/**
 * Updates the memory with the observation of a pass. Each start and each end of a pod is counted once.
 *
 * @param before - the memory in the last status
 */
export const recallLife = (before: LifeMemory, observation: LifeObservation): LifeMemory => {
  const memory = withVanished(before, observation);
  return observation.pod ? withPod(memory, observation.pod, observation) : withoutPod(memory, observation);
};
