import { describe, expect, it } from 'vitest';
import { desiredAt, observed, statusWith } from './scene.ts';

const STOPPING = '2026-11-21T09:30:20Z';

/** The status for an ended pod of which the previous status recorded only the start. */
const noted = (pod: ReturnType<typeof observed>, status = {}) =>
  desiredAt({ pod, status: statusWith({ startTimes: 1, currentPodUID: 'pod-1', ...status }) }).status;

describe('the end of a pod', () => {
  it.each(['Evicted', 'Preempting', 'Terminated', 'NodeLost'])(
    'is no failure when the reason of the pod is %s: the next one starts at once',
    (reason) => {
      const status = noted(observed({ phase: 'Failed', ready: false, reason }));
      expect(status).toMatchObject({ consecutiveFailures: 1, lastExit: { reason } });
      expect(status.nextStartTime).toBeUndefined();
    },
  );

  it.each(['OutOfcpu', 'OutOfmemory', 'NodeAffinity', 'UnexpectedAdmissionError'])(
    'is a failure when the kubelet does not take the pod, with %s',
    (reason) => {
      const status = noted(observed({ phase: 'Failed', ready: false, reason }));
      expect(status).toMatchObject({ consecutiveFailures: 1, lastExit: { reason } });
      expect(status.nextStartTime).toBeDefined();
    },
  );

  it('is counted as a failure when it is 0 and its duration is unknown', () => {
    expect(noted(observed({ phase: 'Succeeded', ready: false })).consecutiveFailures).toBe(1);
  });

  it('is counted as a failure when it is 0 and the API server writes null for times that are not known', () => {
    const pod = observed({ phase: 'Succeeded', ready: false });
    const unknown = { exitCode: 0, reason: 'Completed', startedAt: null, finishedAt: null };
    const [container] = pod.status?.containerStatuses ?? [];
    const containerStatuses = [{ ...container, state: { terminated: unknown } }];
    const lost = { ...pod, status: { ...pod.status, containerStatuses } } as unknown as typeof pod;
    expect(noted(lost)).toMatchObject({ consecutiveFailures: 1, lastExit: { reason: 'Completed', exitCode: 0 } });
  });

  it.each(['Never', 'OnFailure', 'Always'] as const)(
    'is a failure when the pod failed for a reason of its own, although its container ended with 0 and restartPolicy is %s',
    (restartPolicy) => {
      const madeOf = { restartPolicy };
      const pod = observed({ phase: 'Failed', reason: 'DeadlineExceeded', madeOf, terminated: { exitCode: 0 } });
      const status = statusWith({ startTimes: 1, currentPodUID: 'pod-1' });
      expect(desiredAt({ pod, spec: madeOf, status }).status.consecutiveFailures).toBe(1);
    },
  );

  it('is a failure when the pod failed, its container ended with 0, and the kubelet would have started it again', () => {
    const madeOf = { restartPolicy: 'Always' } as const;
    const pod = observed({ phase: 'Failed', madeOf, terminated: { exitCode: 0 } });
    const status = statusWith({ startTimes: 1, currentPodUID: 'pod-1' });
    expect(desiredAt({ pod, spec: madeOf, status }).status.consecutiveFailures).toBe(1);
  });

  it('ends the row of failures when it is 0 after a while', () => {
    const pod = observed({ phase: 'Succeeded', terminated: { exitCode: 0, ranFor: 60 } });
    expect(noted(pod, { consecutiveFailures: 3 }).consecutiveFailures).toBe(0);
  });

  it('is taken from the container that failed, when another one succeeded after it', () => {
    const pod = observed({ phase: 'Failed', terminated: { exitCode: 3, at: '2026-11-21T09:29:00Z' } });
    const late = observed({ phase: 'Succeeded', terminated: { exitCode: 0 } }).status?.containerStatuses ?? [];
    const both = {
      ...pod,
      status: { ...pod.status, containerStatuses: [...late, ...(pod.status?.containerStatuses ?? [])] },
    };
    expect(noted(both).lastExit).toMatchObject({ exitCode: 3, finishedAt: '2026-11-21T09:29:00Z' });
  });

  it('is taken from the container that ended last, when all succeeded', () => {
    const pod = observed({ phase: 'Succeeded', terminated: { exitCode: 0, at: '2026-11-21T09:29:00Z' } });
    const late = observed({ phase: 'Succeeded', terminated: { exitCode: 0 } }).status?.containerStatuses ?? [];
    const both = {
      ...pod,
      status: { ...pod.status, containerStatuses: [...(pod.status?.containerStatuses ?? []), ...late] },
    };
    expect(noted(both).lastExit).toMatchObject({ exitCode: 0, finishedAt: '2026-11-21T09:29:55Z' });
  });

  it('counts from when the pod became unready, when no container shows its end', () => {
    const pod = observed({ phase: 'Failed', reason: 'OutOfcpu', ready: false, readySince: '2026-11-21T09:29:58Z' });
    expect(noted(pod).nextStartTime).toBe('2026-11-21T09:30:08.000000Z');
  });

  it('keeps the reason of the pod itself when it is being deleted as well', () => {
    const pod = observed({ phase: 'Failed', ready: false, reason: 'Evicted', terminatingSince: STOPPING });
    expect(noted(pod).lastExit).toMatchObject({ reason: 'Evicted' });
  });

  it('starts the next pod at once when a user deletes one that never became ready, whatever code it ends with', () => {
    const pod = observed({ phase: 'Failed', terminatingSince: STOPPING, terminated: { exitCode: 137 } });
    const status = noted(pod);
    expect(status).toMatchObject({ consecutiveFailures: 1, lastExit: { reason: 'Deleted', exitCode: 137 } });
    expect(status.nextStartTime).toBeUndefined();
  });

  it('is no failure when a user deletes a pod that was ready and stops being ready as it terminates', () => {
    const readySince = '2026-11-21T09:29:00Z';
    const going = noted(observed({ ready: false, terminatingSince: STOPPING }), { readySince });
    expect(going.readySince).toBe(readySince);
    const { status: gone } = desiredAt({ status: going });
    expect(gone).toMatchObject({ phase: 'Starting', consecutiveFailures: 0, lastExit: { reason: 'Deleted' } });
  });

  it('does not profit from the health of the pod before', () => {
    const before = { consecutiveFailures: 4, readySince: '2026-11-21T09:00:00Z' };
    const lastExit = { podUID: 'pod-1', reason: 'Error', finishedAt: '2026-11-21T09:20:00Z' };
    const next = observed({ uid: 'pod-2', ordinal: 2, phase: 'Failed', terminated: { exitCode: 1 } });
    expect(noted(next, { ...before, lastExit }).consecutiveFailures).toBe(5);
  });

  it('begins a new row of failures when the pod had been ready for exactly as long as asked', () => {
    const pod = observed({ phase: 'Failed', terminated: { exitCode: 1, at: '2026-11-21T09:29:55Z' } });
    const failures = ['2026-11-21T09:19:55Z', '2026-11-21T09:19:56Z'].map(
      (readySince) => noted(pod, { consecutiveFailures: 4, readySince }).consecutiveFailures,
    );
    expect(failures).toEqual([1, 5]);
  });

  it('is not reported as Replaced when a user deletes a pod whose image was changed in place before a status was written', () => {
    const { revision = '' } = desiredAt({ pod: observed() }).status;
    const spec = { image: 'nginx:1.27', updatePolicy: 'InPlace' } as const;
    const pod = observed({ madeOf: spec, terminatingSince: STOPPING });
    const { status } = desiredAt({
      spec,
      pod,
      status: statusWith({ startTimes: 1, currentPodUID: 'pod-1', revision }),
    });
    expect(status.lastExit).toBeUndefined();
  });
});

/** The pod of a run that is over, with a sidecar that goes on. */
const besideSidecar = (restartPolicy: 'Always' | 'OnFailure' | 'Never', exitCode: number) => {
  const pod = observed({ phase: 'Running', ready: false, terminated: { exitCode }, madeOf: { restartPolicy } });
  const sidecar = { ...observed().status?.containerStatuses?.[0], name: 'proxy', state: { running: {} } };
  return { ...pod, status: { ...pod.status, containerStatuses: [sidecar, ...(pod.status?.containerStatuses ?? [])] } };
};

const lookAt = (restartPolicy: 'Always' | 'OnFailure' | 'Never', exitCode: number) =>
  desiredAt({
    pod: besideSidecar(restartPolicy, exitCode) as ReturnType<typeof observed>,
    spec: { restartPolicy },
    status: statusWith({ startTimes: 1, currentPodUID: 'pod-1' }),
  });

describe('the end of the main container beside a sidecar that goes on', () => {
  it.each([
    ['Never', 0, 'Exited', 0],
    ['Never', 3, 'Exited', 1],
    ['OnFailure', 0, 'Exited', 0],
    ['OnFailure', 3, 'Running', 0],
    ['Always', 0, 'Running', 0],
  ] as const)('with restartPolicy %s and exit code %i is %s', (restartPolicy, exitCode, phase, consecutiveFailures) => {
    const { status } = lookAt(restartPolicy, exitCode);
    expect(status).toMatchObject({ phase, consecutiveFailures });
    expect(status.lastExit?.exitCode).toBe(phase === 'Exited' ? exitCode : undefined);
  });
});
