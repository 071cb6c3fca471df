import { describe, expect, it } from 'vitest';
import { countsOf } from '#constructs/pod-set/look/census.ts';
import { ceilingOf } from '#constructs/pod-set/move/moves.ts';
import { podStatusOf } from '#constructs/pod-set/report/status.ts';
import { plainSettings } from '#constructs/pod-set/settings.ts';
import { desiredOf, replicasOf, setPod } from '../support.ts';

describe('podStatusOf()', () => {
  it.each([
    { pods: 1000, expected: { podNamesTruncated: undefined } },
    { pods: 1001, expected: { podNamesTruncated: true } },
  ])('podStatusOf() lists a thousand names of $pods pods, and says whether that is all', ({ pods, expected }) => {
    const active = replicasOf(Array.from({ length: pods }, (_, index) => setPod({ name: `web-${index}` })));
    const { podNames, podNamesTruncated, replicas } = podStatusOf(
      { active, counts: countsOf({ active, terminating: [] }) },
      { app: 'web' },
    );
    expect({ listed: podNames.length, replicas, podNamesTruncated }).toEqual({
      listed: 1000,
      replicas: pods,
      ...expected,
    });
  });
});

describe('the status of a PodSet', () => {
  it.each([
    { paused: false, since: '2026-11-21T09:30:00.000000Z' },
    { paused: true, since: undefined },
  ])('says $since for the beginning of the deadline when paused is $paused', ({ paused, since }) => {
    expect(desiredOf({ spec: { replicas: 2, paused } }).status.progressingSince).toBe(since);
  });
});

describe('ceilingOf()', () => {
  const settings = { ...plainSettings(3), maxSurge: 1 };
  const counts = { active: 4, updated: 1, ready: 4, available: 4, updatedAvailable: 1, terminating: 0 };
  it.each([
    { when: 'it is updated', given: { isRolling: true }, ceiling: 4 },
    { when: 'the update was paused half-way', given: { isRolling: false }, ceiling: 4 },
    { when: 'old pods are left to others', given: { settings: { ...settings, isOnDelete: true } }, ceiling: 3 },
    { when: 'all pods are new', given: { counts: { ...counts, updated: 4 } }, ceiling: 3 },
  ])('ceilingOf() is $ceiling for three replicas and a surge of one when $when', ({ given, ceiling }) => {
    expect(ceilingOf({ settings, counts, isRolling: false, ...given })).toBe(ceiling);
  });
});
