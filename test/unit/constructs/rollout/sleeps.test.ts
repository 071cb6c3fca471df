import { describe, expect, it } from 'vitest';
import { deployed, rolling, templateOf } from '#test/unit/support/rollout-bench.ts';

describe('sleeps', () => {
  it('a sleep neither restarts nor doubles when the operator was away', () => {
    const web = rolling();
    expect(web.later(3000).sizes).toEqual({ 1: 7, 2: 3 });
    expect(web.later(30).sizes).toEqual({ 1: 4, 2: 6 });
  });

  it('a sleep goes on while lost pods are replaced for 30 seconds, and then stands still until they are', () => {
    const web = rolling();
    web.healthy.set('2', 0);
    web.settle().later(20);
    expect(web.status?.pauseConditions).toBeUndefined();
    web.later(10);
    expect(web.status?.pauseConditions).toMatchObject([{ reason: 'AvailabilityLost' }]);
    expect(web.status).toMatchObject({ sleepRemainingSeconds: 30 });
    web.later(100);
    web.healthy.clear();
    expect(web.settle().status?.sleepUntil).toBe('2026-01-01T00:02:40.000000Z');
    expect(web.later(30).sizes).toEqual({ 1: 7, 2: 3 });
  });

  it('a sleep counts the seconds of each loss of pods anew', () => {
    const web = rolling();
    for (const _ of [1, 2]) {
      web.healthy.set('2', 0);
      web.settle().later(20);
      web.healthy.clear();
      web.settle().later(5);
      expect(web.status?.pauseConditions).toBeUndefined();
    }
    expect(web.later(10).sizes).toEqual({ 1: 7, 2: 3 });
  });

  it('a sleep ends no earlier than its pods are back', () => {
    const web = rolling().later(50);
    web.healthy.set('2', 0);
    expect(web.settle().later(15).sizes).toEqual({ 1: 9, 2: 1 });
    web.healthy.clear();
    expect(web.settle().sizes).toEqual({ 1: 7, 2: 3 });
  });

  it('pods that stay away in a sleep end the rollout at the deadline', () => {
    const web = rolling({ progressDeadlineSeconds: 100 });
    web.healthy.set('2', 0);
    web.settle().later(31);
    expect(web.later(70).status?.phase).toBe('Degraded');
  });

  it('a sleep is doubled at most when the clock is set back', () => {
    const web = rolling();
    web.jump(-100_000);
    web.settle();
    expect(web.later(59).sizes).toEqual({ 1: 9, 2: 1 });
    expect(web.later(1).sizes).toEqual({ 1: 7, 2: 3 });
  });

  it('a pause freezes a sleep, and resuming gives what was left', () => {
    const web = rolling().later(20);
    web.edit({ paused: true });
    web.settle();
    expect(web.status).toMatchObject({ phase: 'Paused', sleepRemainingSeconds: 40 });
    expect(web.status?.sleepUntil).toBeUndefined();
    expect(web.later(1000).sizes).toEqual({ 1: 9, 2: 1 });
    web.edit({ paused: false });
    expect(web.settle().status?.sleepUntil).toBe('2026-01-01T00:17:40.000000Z');
    expect(web.later(40).sizes).toEqual({ 1: 7, 2: 3 });
    expect(web.reasons).toContain('RolloutResumed');
  });

  it('a pause takes up no new version, but replaces pods that are lost', () => {
    const web = deployed();
    web.edit({ paused: true, template: templateOf('2') });
    expect(web.settle().sizes).toEqual({ 1: 10 });
    web.remove('1');
    expect(web.settle().sizes).toEqual({ 1: 10 });
    web.edit({ paused: false });
    expect(web.settle().sizes).toEqual({ 1: 9, 2: 1 });
  });
});

describe('what is left of old versions', () => {
  it('an old Deployment stays without pods for retainOldSeconds', () => {
    const web = rolling({ retainOldSeconds: 300, steps: [] });
    expect(web.sizes).toEqual({ 1: 0, 2: 10 });
    expect(web.status?.phase).toBe('Healthy');
    expect(web.later(299).sizes).toEqual({ 1: 0, 2: 10 });
    expect(web.later(1).sizes).toEqual({ 2: 10 });
  });

  it('snapshots of old versions are kept within revisionHistoryLimit', () => {
    const web = deployed({ steps: [], revisionHistoryLimit: 2 });
    for (const version of ['2', '3', '4', '5']) {
      web.rollTo(version);
      web.settle();
    }
    const snapshots = [...web.objects.values()].filter(({ kind }) => kind === 'ControllerRevision');
    expect(snapshots).toHaveLength(3);
  });

  it('a history has ten entries at most', () => {
    const web = deployed({ steps: [], replicas: 1 });
    for (let version = 2; version < 15; version += 1) {
      web.rollTo(String(version));
      web.settle();
    }
    expect(web.status?.history).toHaveLength(10);
  });
});
