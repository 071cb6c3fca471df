import { describe, expect, it } from 'vitest';
import { censusOf, countsOf } from '#constructs/pod-set/look/census.ts';
import { finishedAt, ranSeconds } from '#constructs/pod-set/pods.ts';
import { passClock } from '#lib/desired/clock.ts';
import type { ObservedPod } from '#lib/workload/pod-state.ts';
import { observedPod } from '#test/unit/support/pods.ts';
import { CLASSIC, clockAt, desiredOf, madeBy, NOW, namesBy, setPod, slot } from '../support.ts';

const groupOf = (pod: ObservedPod): string | undefined => {
  const census = censusOf([pod], { revision: undefined, minReadySeconds: 0, clock: clockAt() });
  return Object.entries(census).find(([, pods]) => pods.length === 1)?.[0];
};

describe('censusOf()', () => {
  it.each([
    { traits: { phase: 'Pending' }, group: 'active', reason: 'it is pending' },
    { traits: { phase: 'Running' }, group: 'active', reason: 'it is running' },
    { traits: { phase: 'Running', ready: false }, group: 'active', reason: 'it is running and not ready' },
    { traits: { phase: 'Unknown' }, group: 'active', reason: 'it may well be running' },
    { traits: { phase: 'Succeeded' }, group: 'succeeded', reason: 'it has ended well' },
    { traits: { phase: 'Failed' }, group: 'failed', reason: 'it has failed' },
    { traits: { phase: 'Running', terminating: true }, group: 'terminating', reason: 'it is being deleted' },
    { traits: { phase: 'Failed', terminating: true }, group: 'terminating', reason: 'it failed and is being deleted' },
  ])('censusOf() counts a pod as $group when $reason', ({ traits, group }) => {
    expect(groupOf(observedPod({ name: 'a', ...traits }))).toBe(group);
  });

  it('censusOf() counts a pod as active when its status has not been written yet', () => {
    expect(groupOf({ metadata: { name: 'a' } })).toBe('active');
  });

  it.each([
    { pod: setPod({ name: 'a' }), updated: true, reason: 'it wears the revision' },
    { pod: setPod({ name: 'a', revision: 'other' }), updated: false, reason: 'it wears another one' },
    { pod: observedPod({ name: 'a' }), updated: false, reason: 'its template is unknown' },
  ])('censusOf() takes a pod for updated ($updated) when $reason', ({ pod, updated }) => {
    const { active } = censusOf([pod], { revision: CLASSIC, minReadySeconds: 0, clock: clockAt() });
    expect(active.map(({ isUpdated }) => isUpdated)).toEqual([updated]);
  });

  it.each([
    { since: '2026-11-21T09:29:30Z', available: true, reason: 'it has been ready for exactly as long as asked' },
    { since: '2026-11-21T09:29:31Z', available: false, reason: 'a second is missing' },
  ])('censusOf() takes a pod for available ($available) when $reason', ({ since, available }) => {
    const pod = observedPod({ name: 'a', readySince: since });
    const { active } = censusOf([pod], { revision: undefined, minReadySeconds: 30, clock: clockAt() });
    expect(active.map(({ isAvailable }) => isAvailable)).toEqual([available]);
  });

  it('censusOf() has the clock wait for the instant in which a pod becomes available', () => {
    const clock = passClock(Date.parse(NOW) * 1000);
    const pods = ['2026-11-21T09:29:31Z', '2026-11-21T09:29:40Z'].map((readySince, index) =>
      observedPod({ name: `pod-${index}`, readySince }),
    );
    censusOf(pods, { revision: undefined, minReadySeconds: 30, clock: clock.clock });
    expect(clock.awaited()).toBe(Date.parse('2026-11-21T09:30:01Z') * 1000);
  });

  it('censusOf() waits for nothing when pods are available as soon as they are ready', () => {
    const clock = passClock(Date.parse(NOW) * 1000);
    censusOf([observedPod({ name: 'a' })], { revision: undefined, minReadySeconds: 0, clock: clock.clock });
    expect(clock.awaited()).toBeUndefined();
  });
});

describe('countsOf()', () => {
  it('countsOf() counts what replicas are, and what is being deleted besides', () => {
    const pods = [
      setPod({ name: 'a' }),
      setPod({ name: 'b', ready: false }),
      setPod({ name: 'c', revision: 'old' }),
      setPod({ name: 'd', terminating: true }),
      setPod({ name: 'e', phase: 'Failed' }),
    ];
    const census = censusOf(pods, { revision: CLASSIC, minReadySeconds: 0, clock: clockAt() });
    expect(countsOf(census)).toEqual({
      active: 3,
      updated: 2,
      ready: 2,
      available: 2,
      updatedAvailable: 1,
      terminating: 1,
    });
  });
});

describe('finishedAt()', () => {
  const failed = observedPod({ name: 'a', phase: 'Failed', finishedAt: '2026-11-21T09:20:00Z' });
  const evicted = observedPod({ name: 'a', phase: 'Failed', readySince: '2026-11-21T09:10:00Z' });
  it.each([
    { pod: failed, at: '2026-11-21T09:20:00Z', reason: 'a container ended' },
    { pod: evicted, at: '2026-11-21T09:10:00Z', reason: 'it became unready, and no container shows when' },
    {
      pod: { metadata: { deletionTimestamp: '2026-11-21T09:05:30Z', deletionGracePeriodSeconds: 30 } },
      at: '2026-11-21T09:05:00.000000Z',
      reason: 'it was deleted, and nothing else shows when',
    },
    {
      pod: { metadata: { creationTimestamp: '2026-11-21T09:00:00Z' } },
      at: '2026-11-21T09:00:00Z',
      reason: 'only its creation is known',
    },
    { pod: {}, at: '1970-01-01T00:00:00.000000Z', reason: 'nothing is known' },
  ])('finishedAt() is $at when $reason', ({ pod, at }) => {
    expect(finishedAt(pod)).toBe(at);
  });

  it('ranSeconds() is the time from the start of a container to its end, and 0 when none was started', () => {
    const ran = observedPod({
      name: 'a',
      phase: 'Failed',
      startedAt: '2026-11-21T09:10:00Z',
      finishedAt: '2026-11-21T09:20:00Z',
    });
    expect(ranSeconds(ran)).toBe(600);
    expect(ranSeconds(evicted)).toBe(0);
  });
});

describe('the kind and a pod that does not stop', () => {
  it('a pod stuck terminating on a lost node is reported and replaced, and never deleted by force, however long it lasts', () => {
    const stuck = setPod({ name: slot(0), terminating: true, node: 'lost' });
    for (const now of ['2026-11-21T09:30:00Z', '2026-11-28T09:30:00Z']) {
      const result = desiredOf({ spec: { replicas: 1 }, children: [stuck], now });
      expect(namesBy(result, 'keep')).toEqual([slot(0)]);
      expect(namesBy(result, 'remove')).toEqual([]);
      expect(madeBy(result)).toHaveLength(1);
      expect(result.status).toMatchObject({ replicas: 0, terminatingReplicas: 1 });
    }
  });
});
