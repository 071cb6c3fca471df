import { describe, expect, it } from 'vitest';
import type { DesiredEvent } from '#lib/desired/result/desired.ts';
import { desiredAt, observed, statusWith, verbsOf } from './scene.ts';

/** A pod whose grace period ended this many seconds ago. */
const overdue = (seconds: number) =>
  observed({ terminatingSince: new Date(Date.parse('2026-11-21T09:30:00Z') - seconds * 1000).toISOString() });

const node = (name: string, ...taints: readonly string[]) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  spec: { taints: taints.map((key) => ({ key, effect: 'NoExecute' })) },
});

const outOfService = 'node.kubernetes.io/out-of-service';

const reasonsOf = (events: readonly DesiredEvent[] = []): string[] => events.map(({ reason }) => reason);

const stored = (reason: string) => ({
  ...statusWith({ phase: 'Stuck', startTimes: 1, currentPodUID: 'pod-1' }),
  conditions: [
    { type: 'Stalled', status: 'True' as const, reason, message: '', lastTransitionTime: '2026-11-21T09:29:00Z' },
  ],
});

describe('the kind ImmortalContainer, when its pod does not stop', () => {
  it('the kind is Stuck a minute after the grace period, says so once, and starts no second pod', () => {
    expect(desiredAt({ pod: overdue(59) }).status.phase).toBe('Replacing');
    const result = desiredAt({ pod: overdue(60) });
    expect(verbsOf(result)).toEqual(['keep']);
    expect(result.status.phase).toBe('Stuck');
    expect(result.state).toMatchObject({ state: 'stalled', reason: 'PodStuckTerminating' });
    expect(reasonsOf(result.events)).toContain('PodStuckTerminating');
    const again = desiredAt({ pod: overdue(70), status: stored('PodStuckTerminating') });
    expect(reasonsOf(again.events)).toEqual([]);
  });

  it.each([
    { what: 'the node is there', related: [node('node-1')], seconds: 3600 },
    { what: 'the node does not answer', related: [node('node-1', 'node.kubernetes.io/unreachable')], seconds: 3600 },
    { what: 'another node is out of service', related: [node('node-1'), node('node-2', outOfService)], seconds: 3600 },
    { what: 'it is too early', related: [], seconds: 29 },
  ])('the kind does not delete the pod by force when $what', ({ related, seconds }) => {
    const spec = { forceDeleteAfterSeconds: 30 };
    for (const status of [statusWith({ startTimes: 1 }), stored('ForceDeleting')]) {
      expect(verbsOf(desiredAt({ pod: overdue(seconds), spec, related, status }))).toEqual(['keep']);
    }
  });

  it('the kind never deletes the pod by force when it was not asked to', () => {
    expect(verbsOf(desiredAt({ pod: overdue(86_400), status: stored('ForceDeleting') }))).toEqual(['keep']);
  });

  it('the kind does not look at nodes when it was not asked to delete by force', () => {
    const related = [node('node-1', outOfService)];
    expect(desiredAt({ pod: overdue(3600), related }).state.reason).toBe('PodStuckTerminating');
  });

  it.each([
    { what: 'gone', related: [node('node-2')] },
    { what: 'tainted out-of-service', related: [node('node-1', outOfService)] },
  ])('the kind deletes the pod by force, after it has said so, when its node is $what', ({ related }) => {
    const spec = { forceDeleteAfterSeconds: 30 };
    const announced = desiredAt({ pod: overdue(30), spec, related });
    expect(verbsOf(announced)).toEqual(['keep']);
    expect(announced.state).toMatchObject({ state: 'stalled', reason: 'ForceDeleting' });
    expect(reasonsOf(announced.events)).toContain('ForceDeleted');
    const done = desiredAt({ pod: overdue(31), spec, related, status: stored('ForceDeleting') });
    expect(done.children).toMatchObject([{ verb: 'remove', gracePeriodSeconds: 0, because: 'NodeLost' }]);
    expect(reasonsOf(done.events)).toEqual([]);
  });

  it('the kind never deletes a pod by force that was never on a node: no node can be declared off', () => {
    const pod = observed({ node: '', terminatingSince: '2026-11-21T08:30:00Z' });
    const result = desiredAt({ pod, spec: { forceDeleteAfterSeconds: 30 }, status: stored('ForceDeleting') });
    expect(verbsOf(result)).toEqual(['keep']);
    expect(result.state.reason).toBe('PodStuckTerminating');
  });

  it('the kind reports a forced deletion after it reported the pod as stuck', () => {
    const spec = { forceDeleteAfterSeconds: 300 };
    const { events } = desiredAt({ pod: overdue(300), spec, status: stored('PodStuckTerminating') });
    expect(reasonsOf(events)).toEqual(['ForceDeleted']);
  });

  it('the kind deletes a pod that has ended and is being deleted no second time', () => {
    const ended = observed({
      phase: 'Failed',
      terminated: { exitCode: 1 },
      terminatingSince: '2026-11-21T09:30:20Z',
    });
    const { status } = desiredAt({ pod: ended, status: statusWith({ startTimes: 1, currentPodUID: 'pod-1' }) });
    const again = desiredAt({ pod: ended, status });
    expect(verbsOf(again)).toEqual(['keep']);
    expect(again.status.phase).toBe('Replacing');
  });

  it('the kind says NodeLost of a pod that it deleted by force', () => {
    const { status } = desiredAt({ status: stored('ForceDeleting') });
    expect(status).toMatchObject({ phase: 'Starting', lastExit: { podUID: 'pod-1', reason: 'NodeLost' } });
  });
});
