import { describe, expect, it } from 'vitest';
import {
  containerEnded,
  crashBackoffMs,
  evictedStatus,
  nextAction,
  type PodAction,
} from '#lib/controllers/nodes/kubelet-plan.ts';
import { behaviorOf, type PodBehavior } from '#lib/controllers/nodes/pod-behavior.ts';
import type { StoredPod } from '#lib/controllers/workload.ts';
import { pod } from './objects.ts';

const start = Date.parse('2026-01-01T00:00:00Z');

const next = (given: StoredPod, behavior: Partial<PodBehavior> = {}, now = start): PodAction | undefined =>
  nextAction({ pod: given, behavior: behaviorOf(given, behavior), now, address: () => '10.128.0.1' });

/** The pod after some steps of its kubelet. */
const after = (given: StoredPod, behavior: Partial<PodBehavior>, times: number): StoredPod => {
  const action = next(given, behavior);
  if (times === 0 || !action?.status) return given;
  return after({ ...given, status: action.status }, behavior, times - 1);
};

const readyOf = ({ status }: StoredPod): string | undefined =>
  status?.conditions?.find(({ type }) => type === 'Ready')?.status;

const deleted = (given: StoredPod, grace: number): StoredPod => ({
  ...given,
  metadata: {
    ...given.metadata,
    deletionTimestamp: new Date(start + grace * 1000).toISOString(),
    deletionGracePeriodSeconds: grace,
  },
});

describe('nextAction()', () => {
  it('starts a pod and makes it ready at once', () => {
    const { verb, notBefore, status } = next(pod('a')) ?? {};
    expect({ verb, notBefore }).toEqual({ verb: 'start', notBefore: undefined });
    expect(status).toMatchObject({
      phase: 'Running',
      podIP: '10.128.0.1',
      podIPs: [{ ip: '10.128.0.1' }],
      startTime: '2026-01-01T00:00:00Z',
    });
    expect(status?.containerStatuses).toEqual([
      {
        name: 'app',
        image: 'app:1',
        imageID: '',
        ready: true,
        restartCount: 0,
        started: true,
        state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
        lastState: {},
      },
    ]);
    expect(status?.conditions?.map(({ type, status: value }) => [type, value])).toEqual([
      ['PodReadyToStartContainers', 'True'],
      ['Initialized', 'True'],
      ['Ready', 'True'],
      ['ContainersReady', 'True'],
      ['PodScheduled', 'True'],
    ]);
  });

  it('accepts, starts and readies a slow pod one after the other', () => {
    const slow = { startAfterMs: 4000, readyAfterMs: 7000 };
    const accepted = after(pod('a'), slow, 1);
    expect(accepted.status).toMatchObject({
      phase: 'Pending',
      containerStatuses: [{ state: { waiting: { reason: 'ContainerCreating' } } }],
    });
    expect(next(accepted, slow)).toMatchObject({ verb: 'start', notBefore: start + 4000 });
    const started = after(pod('a'), slow, 2);
    expect(readyOf(started)).toBe('False');
    expect(next(started, slow)).toMatchObject({ verb: 'ready', notBefore: start + 7000 });
    expect(next(after(pod('a'), slow, 3), slow)).toBeUndefined();
  });

  it('reads the behaviour from annotations', () => {
    const annotations = { 'kubelet.sim/never-ready': 'true' };
    const running = after(pod('a', { metadata: { annotations } }), {}, 1);
    expect([readyOf(running), next(running)]).toEqual(['False', undefined]);
  });

  it('waits for readiness gates', () => {
    const gated = pod('a', { spec: { readinessGates: [{ conditionType: 'example.com/ok' }] } });
    const running = after(gated, {}, 1);
    expect(running.status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ReadinessGatesNotReady',
      message: 'corresponding condition of pod readiness gate "example.com/ok" does not exist.',
    });
    expect(next(running)).toBeUndefined();
    const conditions = [...(running.status?.conditions ?? []), { type: 'example.com/ok', status: 'True' as const }];
    expect(next({ ...running, status: { ...running.status, conditions } })?.verb).toBe('ready');
  });

  it.for([
    { policy: 'Never', exitCode: 0, phase: 'Succeeded', restarts: false },
    { policy: 'Never', exitCode: 2, phase: 'Failed', restarts: false },
    { policy: 'OnFailure', exitCode: 0, phase: 'Succeeded', restarts: false },
    { policy: 'OnFailure', exitCode: 2, phase: 'Running', restarts: true },
    { policy: 'Always', exitCode: 0, phase: 'Running', restarts: true },
  ] as const)('lets a pod with $policy be $phase after exit $exitCode', ({ policy, exitCode, phase, restarts }) => {
    const behavior = { exitAfterMs: 3000, exitCode };
    const running = after(pod('a', { spec: { restartPolicy: policy } }), behavior, 1);
    expect(next(running, behavior)?.notBefore).toBe(start + 3000);
    const ended = after(running, behavior, 1);
    expect(ended.status?.phase).toBe(phase);
    expect(next(ended, {})?.verb.startsWith('restart')).toBe(restarts ? true : undefined);
  });

  it('restarts a failed container at once, later ones after a growing time', () => {
    const failed = (given: StoredPod): StoredPod => ({
      ...given,
      status: containerEnded(given, { name: 'app', exitCode: 1, now: start }),
    });
    const once = failed(after(pod('a'), {}, 1));
    expect(once.status?.containerStatuses?.[0]).toMatchObject({ ready: false, state: { terminated: { exitCode: 1 } } });
    expect(next(once)).toMatchObject({ verb: 'restart container app of', notBefore: start });
    const twice = failed(after(once, {}, 1));
    expect(twice.status?.containerStatuses?.[0]).toMatchObject({
      restartCount: 1,
      state: {
        waiting: {
          reason: 'CrashLoopBackOff',
          message: 'back-off 10s restarting failed container=app pod=a_default(uid-of-a)',
        },
      },
      lastState: { terminated: { exitCode: 1, reason: 'Error' } },
    });
    expect(next(twice)).toMatchObject({ notBefore: start + 10_000 });
    expect([2, 3, 10].map(crashBackoffMs)).toEqual([20_000, 40_000, 300_000]);
  });

  it('stops a deleted pod, then removes it', () => {
    const going = deleted(after(pod('a'), {}, 1), 30);
    const stop = next(going, { stopAfterMs: 5000 });
    expect(stop).toMatchObject({ verb: 'stop', notBefore: start + 5000, status: { phase: 'Succeeded' } });
    expect(next({ ...going, status: stop!.status! })).toEqual({ verb: 'remove' });
  });

  it('kills a deleted pod at the end of its grace period', () => {
    const stop = next(deleted(after(pod('a'), {}, 1), 30), { stopAfterMs: 60_000 });
    expect(stop).toMatchObject({ notBefore: start + 30_000, status: { phase: 'Failed' } });
    expect(stop?.status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(137);
  });

  it('observes a change of a running pod when it is asked to', () => {
    const up = after(pod('a'), {}, 1);
    const changed = { ...up, metadata: { ...up.metadata, generation: 2 } };
    const seen = { behavior: behaviorOf(changed), now: start, address: () => '', observesChanges: true };
    expect(next(changed)).toBeUndefined();
    const action = nextAction({ ...seen, pod: changed });
    expect(action).toMatchObject({ verb: 'observe', status: { observedGeneration: 2, phase: 'Running' } });
    expect(nextAction({ ...seen, pod: { ...changed, status: action?.status ?? {} } })).toBeUndefined();
  });

  it('leaves a deleted pod to its finalizers, and one that never stops', () => {
    const going = deleted(after(pod('a'), {}, 1), 0);
    const stopped = { ...going, status: next(going)!.status! };
    expect(next(stopped)).toBeUndefined();
    expect(next(going, { neverStops: true })).toBeUndefined();
  });

  it('ends a pod at its deadline', () => {
    const running = after(pod('a', { spec: { activeDeadlineSeconds: 5 } }), {}, 1);
    expect(next(running)).toMatchObject({
      verb: 'expire',
      notBefore: start + 5000,
      status: { phase: 'Failed', reason: 'DeadlineExceeded' },
    });
  });
});

describe('evictedStatus()', () => {
  it('fails the pod and says why', () => {
    const status = evictedStatus(after(pod('a'), {}, 1), start);
    expect(status).toMatchObject({ phase: 'Failed', reason: 'Evicted' });
    expect(status.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'TerminationByKubelet',
    });
    expect(status.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'False',
      reason: 'PodFailed',
    });
  });
});
