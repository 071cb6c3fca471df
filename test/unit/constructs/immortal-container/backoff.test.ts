import { describe, expect, it } from 'vitest';
import { desiredAt, observed, statusWith, verbsOf } from './scene.ts';

const running = statusWith({ startTimes: 1, currentPodUID: 'pod-1', readySince: '2026-11-21T09:29:00Z' });

/** The results of the function when a pod has ended, and when it is deleted. */
const afterEnd = (pod: ReturnType<typeof observed>, status = running) => {
  const ended = desiredAt({ pod, status });
  return { ended, gone: desiredAt({ status: ended.status }) };
};

describe('back-off', () => {
  it.each([
    { end: 'a container fails', pod: { phase: 'Failed', terminated: { exitCode: 1 } }, failures: 1, waits: true },
    {
      end: 'the kubelet does not take the pod',
      pod: { phase: 'Failed', reason: 'OutOfcpu', readySince: '2026-11-21T09:29:58Z' },
      failures: 1,
      waits: true,
    },
    {
      end: 'it exits 0 within 10 s',
      pod: { phase: 'Succeeded', terminated: { exitCode: 0, ranFor: 9 } },
      failures: 1,
      waits: true,
    },
    {
      end: 'it exits 0 after 10 s',
      pod: { phase: 'Succeeded', terminated: { exitCode: 0, ranFor: 10 } },
      failures: 0,
      waits: false,
    },
    {
      end: 'it is evicted',
      pod: { phase: 'Failed', reason: 'Evicted', terminated: { exitCode: 137 } },
      failures: 1,
      waits: false,
    },
    {
      end: 'it is preempted',
      pod: {
        phase: 'Failed',
        conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }],
      },
      failures: 1,
      waits: false,
    },
    { end: 'its node is lost', pod: { phase: 'Failed', reason: 'NodeLost' }, failures: 1, waits: false },
  ] as const)('back-off is as it should be when $end for the first time', ({ pod, failures, waits }) => {
    const { ended, gone } = afterEnd(observed({ ...pod, ready: false }), statusWith({ startTimes: 1 }));
    expect(ended.status.consecutiveFailures).toBe(failures);
    expect(gone.status.phase).toBe(waits ? 'BackingOff' : 'Starting');
  });

  it('back-off runs from the moment at which the container finished', () => {
    const { gone } = afterEnd(observed({ phase: 'Failed', terminated: { exitCode: 1, at: '2026-11-21T09:29:57Z' } }));
    expect(gone.status.nextStartTime).toBe('2026-11-21T09:30:07.000000Z');
    expect(gone.children).toEqual([]);
    expect(gone.state).toMatchObject({ state: 'progressing', reason: 'BackingOff' });
    expect(gone.conditions).toMatchObject([{ type: 'PodCreated', status: 'False', reason: 'BackingOff' }]);
  });

  it('back-off is over when its time has come', () => {
    const status = statusWith({ startTimes: 1, consecutiveFailures: 1, nextStartTime: '2026-11-21T09:30:07.000000Z' });
    expect(desiredAt({ status, now: '2026-11-21T09:30:06.999999Z' }).children).toEqual([]);
    const due = desiredAt({ status, now: '2026-11-21T09:30:07Z' });
    expect(verbsOf(due)).toEqual(['apply']);
    expect(due.status.nextStartTime).toBeUndefined();
  });

  it('back-off of evictions in a row is one failure behind that of failures', () => {
    const delays = [1, 2, 3, 4].map((failures) => {
      const status = statusWith({ startTimes: 1, consecutiveFailures: failures - 1 });
      const pod = observed({
        phase: 'Failed',
        reason: 'Evicted',
        ready: false,
        terminated: { exitCode: 137, at: '2026-11-21T09:30:00Z' },
      });
      return desiredAt({ pod, status }).status.nextStartTime;
    });
    expect(delays).toEqual([
      undefined,
      '2026-11-21T09:30:10.000000Z',
      '2026-11-21T09:30:20.000000Z',
      '2026-11-21T09:30:40.000000Z',
    ]);
  });

  it('back-off does not begin when a user deletes a pod that was ready, however often', () => {
    const status = statusWith({
      startTimes: 9,
      consecutiveFailures: 3,
      currentPodUID: 'pod-9',
      readySince: '2026-11-21T09:29:00Z',
    });
    const { status: after } = desiredAt({ status });
    expect(after).toMatchObject({
      phase: 'Starting',
      consecutiveFailures: 3,
      lastExit: { podUID: 'pod-9', reason: 'Deleted' },
    });
  });

  it('back-off begins with the second pod in a row that is deleted before it was ready', () => {
    const first = desiredAt({ status: statusWith({ startTimes: 1, currentPodUID: 'pod-1' }) });
    expect(first.status).toMatchObject({ phase: 'Starting', consecutiveFailures: 1 });
    const second = desiredAt({ status: { ...first.status, currentPodUID: 'pod-2' } });
    expect(second.status).toMatchObject({ phase: 'BackingOff', consecutiveFailures: 2 });
  });

  it('back-off is forgotten when the pod has been ready for ten minutes', () => {
    const status = statusWith({ startTimes: 1, consecutiveFailures: 4 });
    const early = desiredAt({ pod: observed({ readySince: '2026-11-21T09:20:01Z' }), status });
    expect(early.status.consecutiveFailures).toBe(4);
    const late = desiredAt({ pod: observed({ readySince: '2026-11-21T09:20:00Z' }), status });
    expect(late.status.consecutiveFailures).toBe(0);
  });

  it('back-off starts anew when a pod fails that had been ready for ten minutes between two passes', () => {
    const status = statusWith({
      startTimes: 1,
      consecutiveFailures: 4,
      currentPodUID: 'pod-1',
      readySince: '2026-11-21T09:00:00Z',
    });
    const { status: after } = desiredAt({ pod: observed({ phase: 'Failed', terminated: { exitCode: 1 } }), status });
    expect(after.consecutiveFailures).toBe(1);
  });

  it('back-off is ended by a completion: failures before it do not count any more', () => {
    const status = statusWith({ startTimes: 3, consecutiveFailures: 2, currentPodUID: 'pod-1' });
    const { ended, gone } = afterEnd(observed({ phase: 'Succeeded', terminated: { exitCode: 0, ranFor: 60 } }), status);
    expect(ended.status.consecutiveFailures).toBe(0);
    expect(gone.status).toMatchObject({ phase: 'Starting', consecutiveFailures: 0 });
  });

  it('the records keep the ready time of a pod after its end, so that a later deletion is recognized by it', () => {
    const { ended } = afterEnd(observed({ phase: 'Failed', ready: false, terminated: { exitCode: 1 } }));
    expect(ended.status.readySince).toBe('2026-11-21T09:29:00Z');
  });

  it('back-off is ended by an edit of the image, and failures of the old one do not count any more', () => {
    const { gone } = afterEnd(observed({ phase: 'Failed', terminated: { exitCode: 1 } }));
    const edited = desiredAt({ spec: { image: 'nginx:1.27' }, status: gone.status });
    expect(edited.status).toMatchObject({ phase: 'Starting', consecutiveFailures: 0 });
    expect(edited.status.nextStartTime).toBeUndefined();
  });

  it('failures before an edit do not count either when nothing was written down between the old pod and the new one', () => {
    const { ended } = afterEnd(observed({ phase: 'Failed', terminated: { exitCode: 1 } }));
    expect(ended.status).toMatchObject({ consecutiveFailures: 1 });
    // A process of the operator created this pod after the old one was deleted, and ended before it wrote a status.
    const image = 'nginx:1.27';
    const pod = observed({ uid: 'pod-2', ordinal: 2, phase: 'Pending', madeOf: { image } });
    const edited = desiredAt({ spec: { image }, status: ended.status, pod });
    expect(edited.status).toMatchObject({ startTimes: 2, consecutiveFailures: 0, currentPodUID: 'pod-2' });
  });

  it('back-off never waits longer than its maximum when a clock was set back, or the maximum lowered', () => {
    const status = statusWith({ startTimes: 1, consecutiveFailures: 9, nextStartTime: '2026-11-21T10:30:00.000000Z' });
    const bounded = desiredAt({ status });
    expect(bounded.status.nextStartTime).toBe('2026-11-21T09:35:00.000000Z');
    expect(desiredAt({ status: bounded.status, now: '2026-11-21T09:30:01Z' }).status).toEqual(bounded.status);
    const lowered = desiredAt({ status: bounded.status, spec: { backoff: { maxSeconds: 20 } } });
    expect(lowered.status.nextStartTime).toBe('2026-11-21T09:30:20.000000Z');
  });

  it('back-off is not prolonged when the clock of the node is ahead', () => {
    const { gone } = afterEnd(observed({ phase: 'Failed', terminated: { exitCode: 1, at: '2026-11-21T09:45:00Z' } }));
    expect(gone.status.nextStartTime).toBe('2026-11-21T09:30:10.000000Z');
  });

  it.each([
    { at: '2026-11-21T09:29:51Z', next: '2026-11-21T09:30:01.000000Z', reason: 'the delay is not over' },
    { at: '2026-11-21T09:29:50Z', next: '2026-11-21T09:30:10.000000Z', reason: 'it would just be over' },
    {
      at: '2026-11-21T08:30:00Z',
      next: '2026-11-21T09:30:10.000000Z',
      reason: 'the clock of the node is an hour behind',
    },
  ])('back-off is not spared: the next start is at $next for an end at $at, when $reason', ({ at, next }) => {
    const { ended, gone } = afterEnd(observed({ phase: 'Failed', terminated: { exitCode: 1, at } }));
    expect([ended.status.nextStartTime, gone.status.nextStartTime]).toEqual([next, next]);
    expect(desiredAt({ status: gone.status, now: next }).status.phase).toBe('Starting');
  });

  it('back-off waits ever longer behind a node whose clock is an hour behind', () => {
    const status = statusWith({ startTimes: 4, consecutiveFailures: 3, currentPodUID: 'pod-1' });
    const terminated = { exitCode: 1, at: '2026-11-21T08:30:00Z' };
    const { gone } = afterEnd(observed({ phase: 'Failed', terminated }), status);
    expect(gone.status).toMatchObject({ consecutiveFailures: 4, nextStartTime: '2026-11-21T09:31:20.000000Z' });
  });
});

describe('lastExit', () => {
  it('lastExit has reason, exit code and message of the container, cut to what a person reads', () => {
    const pod = observed({
      phase: 'Failed',
      message: 'x'.repeat(1000),
      terminated: { exitCode: 137, reason: 'OOMKilled' },
    });
    const { lastExit } = desiredAt({ pod }).status;
    expect(lastExit).toMatchObject({
      podUID: 'pod-1',
      reason: 'OOMKilled',
      exitCode: 137,
      finishedAt: '2026-11-21T09:29:55Z',
    });
    expect(lastExit?.message).toBe('x'.repeat(256));
  });

  it('lastExit counts an end once, also when it is seen again after a crash', () => {
    const pod = observed({ phase: 'Failed', terminated: { exitCode: 1 } });
    const first = desiredAt({ pod, status: running });
    const again = desiredAt({ pod, status: first.status });
    expect([first.status.consecutiveFailures, again.status.consecutiveFailures]).toEqual([1, 1]);
    const repeated = desiredAt({ pod, status: running });
    expect(repeated.status).toEqual(first.status);
  });

  it('lastExit says Replaced when it is gone because of an edit, and that is no failure', () => {
    const status = { ...desiredAt({ pod: observed() }).status };
    const pod = observed({ terminatingSince: '2026-11-21T09:30:20Z' });
    const going = desiredAt({ spec: { image: 'nginx:1.27' }, pod, status });
    expect(going.status).toMatchObject({ consecutiveFailures: 0, lastExit: { podUID: 'pod-1', reason: 'Replaced' } });
    const gone = desiredAt({ spec: { image: 'nginx:1.27' }, status });
    expect(gone.status).toMatchObject({ phase: 'Starting', consecutiveFailures: 0, lastExit: { reason: 'Replaced' } });
  });

  it('lastExit says Deleted when a user deletes the pod, whatever code the container stops with', () => {
    const pod = observed({ phase: 'Failed', terminatingSince: '2026-11-21T09:30:20Z', terminated: { exitCode: 143 } });
    const { status } = desiredAt({ pod, status: running });
    expect(status).toMatchObject({ consecutiveFailures: 0, lastExit: { reason: 'Deleted', exitCode: 143 } });
  });
});
