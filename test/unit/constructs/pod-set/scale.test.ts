import { describe, expect, it } from 'vitest';
import { scalePods } from '#constructs/pod-set/desired.ts';
import { groupPods, isReady, type ObservedPod, readySince } from '#constructs/pod-set/pods.ts';
import { passClock } from '#lib/desired/clock.ts';
import { freeSlots } from '#lib/desired/names.ts';
import { observedPod } from '#test/unit/support/pods.ts';

const set = { name: 'web', uid: 'uid-web' };
const { clock } = passClock(Date.parse('2026-11-21T09:30:00Z') * 1000);
const slots = freeSlots(6, { ...set, taken: new Set() });
const slot = (index: number): string => slots[index] ?? '';

/** What becomes of pods: names by verb, with reasons of removals. */
const scaled = (replicas: number, pods: readonly ObservedPod[]) => {
  const intents = scalePods({ set, replicas, pods, clock });
  const named = (verb: string): string[] =>
    intents.filter((intent) => intent.verb === verb).map(({ object }) => object.metadata?.name ?? '');
  const reasons = intents.filter((intent) => intent.verb === 'remove').map(({ because }) => because);
  return { apply: named('apply'), keep: named('keep').toSorted(), remove: named('remove'), reasons };
};

describe('groupPods()', () => {
  it.each([
    { traits: { phase: 'Pending' }, group: 'active', reason: 'it is pending' },
    { traits: { phase: 'Running' }, group: 'active', reason: 'it is running' },
    { traits: { phase: 'Running', ready: false }, group: 'active', reason: 'it is running and not ready' },
    { traits: { phase: 'Unknown' }, group: 'active', reason: 'it may well be running' },
    { traits: { phase: 'Succeeded' }, group: 'finished', reason: 'it has ended well' },
    { traits: { phase: 'Failed' }, group: 'finished', reason: 'it has failed' },
    { traits: { phase: 'Running', terminating: true }, group: 'terminating', reason: 'it is being deleted' },
    {
      traits: { phase: 'Failed', terminating: true },
      group: 'terminating',
      reason: 'it has failed and is being deleted',
    },
  ])('groupPods() counts a pod as $group when $reason', ({ traits, group }) => {
    const pod = observedPod({ name: 'a', ...traits });
    expect(groupPods([pod])).toEqual({ active: [], terminating: [], finished: [], [group]: [pod] });
  });

  it('groupPods() counts a pod as active when its status has not been written yet', () => {
    const pod = { metadata: { name: 'a' } };
    expect(groupPods([pod])).toEqual({ active: [pod], terminating: [], finished: [] });
  });

  it('groupPods() keeps the order within each group', () => {
    const pods = ['b', 'a', 'c'].map((name) => observedPod({ name }));
    expect(groupPods(pods).active).toEqual(pods);
  });
});

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
  ])('isReady() is $ready, and readySince() $since, when $reason', ({ pod, ready, since }) => {
    expect(isReady(pod)).toBe(ready);
    expect(readySince(pod)).toBe(since);
  });
});

describe('scalePods()', () => {
  it('scalePods() creates pods under the lowest slots when there are none', () => {
    expect(scaled(3, [])).toEqual({ apply: slots.slice(0, 3), keep: [], remove: [], reasons: [] });
  });

  it('scalePods() does nothing when zero are wanted and none are there', () => {
    expect(scaled(0, [])).toEqual({ apply: [], keep: [], remove: [], reasons: [] });
  });

  it('scalePods() keeps what is there when that is enough', () => {
    const pods = [observedPod({ name: slot(0) }), observedPod({ name: slot(1) })];
    expect(scaled(2, pods)).toEqual({ apply: [], keep: [slot(0), slot(1)].toSorted(), remove: [], reasons: [] });
  });

  it('scalePods() adds what is missing, under other names', () => {
    expect(scaled(3, [observedPod({ name: slot(0) })])).toMatchObject({ apply: [slot(1), slot(2)], keep: [slot(0)] });
  });

  it('scalePods() fills a gap when a pod in the middle is gone', () => {
    const pods = [observedPod({ name: slot(0) }), observedPod({ name: slot(2) })];
    expect(scaled(3, pods).apply).toEqual([slot(1)]);
  });

  it('scalePods() takes away the surplus in deletion order', () => {
    const pods = [
      observedPod({ name: slot(0) }),
      observedPod({ name: slot(1), ready: false }),
      observedPod({ name: slot(2), phase: 'Pending' }),
    ];
    expect(scaled(1, pods)).toEqual({
      apply: [],
      keep: [slot(0)],
      remove: [slot(2), slot(1)],
      reasons: ['ScaledDown', 'ScaledDown'],
    });
  });

  it('scalePods() takes away everything when zero are wanted', () => {
    const pods = [observedPod({ name: slot(0) }), observedPod({ name: slot(1), phase: 'Failed' })];
    expect(scaled(0, pods)).toEqual({
      apply: [],
      keep: [],
      remove: [slot(0), slot(1)],
      reasons: ['ScaledDown', 'PodFailed'],
    });
  });

  it.each([
    { phase: 'Failed', because: 'PodFailed' },
    { phase: 'Succeeded', because: 'PodSucceeded' },
  ])('scalePods() replaces a pod under another name when it is $phase', ({ phase, because }) => {
    const pods = [observedPod({ name: slot(0) }), observedPod({ name: slot(1), phase })];
    expect(scaled(2, pods)).toEqual({ apply: [slot(2)], keep: [slot(0)], remove: [slot(1)], reasons: [because] });
  });

  it('scalePods() does not count terminating pods, and leaves them their names', () => {
    const pods = [observedPod({ name: slot(0), terminating: true }), observedPod({ name: slot(1) })];
    expect(scaled(2, pods)).toEqual({ apply: [slot(2)], keep: [slot(0), slot(1)].toSorted(), remove: [], reasons: [] });
  });

  it('scalePods() names every pod exactly once', () => {
    const phases = ['Running', 'Pending', 'Failed', 'Succeeded', 'Unknown'];
    const pods = phases.flatMap((phase, i) => [
      observedPod({ name: `pod-${i}`, phase }),
      observedPod({ name: `dying-${i}`, phase, terminating: true }),
    ]);
    const named = scalePods({ set, replicas: 2, pods, clock }).map(({ object }) => object.metadata?.name ?? '');
    expect(named.toSorted()).toEqual(pods.map(({ metadata }) => metadata?.name ?? '').toSorted());
  });
});
