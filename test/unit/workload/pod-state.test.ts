import { describe, expect, it } from 'vitest';
import { isActive, isFinished, isReady, isTerminating, podCondition, readySince } from '#lib/workload/pod-state.ts';
import { observedPod } from '#test/unit/support/pods.ts';

describe('isReady()', () => {
  it.each([
    { pod: observedPod({ name: 'a' }), ready: true, since: '2026-11-21T08:00:05Z', reason: 'Ready is True' },
    { pod: observedPod({ name: 'a', ready: false }), ready: false, since: undefined, reason: 'Ready is False' },
    { pod: { metadata: { name: 'a' } }, ready: false, since: undefined, reason: 'there are no conditions' },
    {
      pod: { status: { conditions: [{ type: 'Initialized', status: 'True' }] } },
      ready: false,
      since: undefined,
      reason: 'another condition is True',
    },
    {
      pod: { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
      ready: true,
      since: undefined,
      reason: 'it does not say since when',
    },
    {
      pod: {
        status: { conditions: [{ type: 'Ready', status: 'Unknown', lastTransitionTime: '2026-11-21T08:00:05Z' }] },
      },
      ready: false,
      since: undefined,
      reason: 'the node is silent',
    },
  ])('isReady() is $ready, and readySince() $since, when $reason', ({ pod, ready, since }) => {
    expect(isReady(pod)).toBe(ready);
    expect(readySince(pod)).toBe(since);
  });
});

describe('isActive()', () => {
  it.each([
    { phase: 'Pending', finished: false, active: true, reason: 'it is pending' },
    { phase: 'Running', finished: false, active: true, reason: 'it runs' },
    { phase: 'Unknown', finished: false, active: true, reason: 'its node is silent' },
    { phase: 'Succeeded', finished: true, active: false, reason: 'it has succeeded' },
    { phase: 'Failed', finished: true, active: false, reason: 'it has failed' },
  ])('isActive() is $active, and isFinished() $finished, when $reason', ({ phase, finished, active }) => {
    const pod = observedPod({ name: 'a', phase });
    expect({ active: isActive(pod), finished: isFinished(pod), terminating: isTerminating(pod) }).toEqual({
      active,
      finished,
      terminating: false,
    });
  });

  it('isActive() is false when the pod is being deleted, which isTerminating() shows', () => {
    const pod = observedPod({ name: 'a', terminating: true });
    expect([isActive(pod), isTerminating(pod), isFinished(pod)]).toEqual([false, true, false]);
  });

  it('isActive() is true when nothing is known of the pod', () => {
    expect([isActive({}), isTerminating({}), isFinished({})]).toEqual([true, false, false]);
  });
});

describe('podCondition()', () => {
  it('podCondition() is the condition of the type, and undefined when the pod does not have it', () => {
    const pod = observedPod({ name: 'a' });
    expect(podCondition(pod, 'Ready')?.status).toBe('True');
    expect(podCondition(pod, 'PodScheduled')).toBeUndefined();
  });
});
