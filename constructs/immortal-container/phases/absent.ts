import { apply } from '#lib/desired/result/intent.ts';
import { progressing, ready } from '#lib/desired/result/state.ts';
import type { LifeDecision, LifeDecisionInput } from '../decision.ts';
import { podIntent } from '../intent.ts';

const suspended: LifeDecision = {
  phase: 'Suspended',
  children: [],
  state: ready('Suspended', 'no pod is wanted while spec.suspend is true'),
  podMissing: { reason: 'Suspended', message: 'spec.suspend is true' },
};

const backingOff = ({ memory }: LifeDecisionInput): LifeDecision => {
  const { consecutiveFailures, lastExit } = memory;
  const failures = consecutiveFailures === 1 ? '1 failure' : `${consecutiveFailures} failures in a row`;
  const message = `waits until nextStartTime after ${failures}, the last: ${lastExit?.reason ?? 'unknown'}`;
  return {
    phase: 'BackingOff',
    children: [],
    state: progressing('BackingOff', message),
    podMissing: { reason: 'BackingOff', message },
  };
};

const starting = ({ resource, memory }: LifeDecisionInput): LifeDecision => {
  const { spec, metadata } = resource;
  return {
    phase: 'Starting',
    children: [apply(podIntent({ name: metadata.name, spec, ordinal: memory.startTimes + 1 }))],
    state: progressing('Starting', 'a pod is started'),
    podMissing: { reason: 'Starting', message: 'a pod is started' },
  };
};

/** The decision when there is no pod. A pod is started unless `spec.suspend` is set or a delay has not ended. */
export const decideAbsentPod = (input: LifeDecisionInput): LifeDecision => {
  if (input.resource.spec.suspend) return suspended;
  return input.memory.nextStartTime === undefined ? starting(input) : backingOff(input);
};
