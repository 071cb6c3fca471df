import { describe, expect, it } from 'vitest';
import { desiredAt, observed, statusWith } from './scene.ts';

describe('startTimes', () => {
  it('startTimes is what the pod says when the status was not written before a crash', () => {
    const { status } = desiredAt({
      pod: observed({ uid: 'pod-5', ordinal: 5 }),
      status: statusWith({ startTimes: 4 }),
    });
    expect(status.startTimes).toBe(5);
  });

  it('startTimes is not counted twice when the same pod is seen again', () => {
    const pod = observed({ ordinal: 2 });
    const first = desiredAt({ pod, status: statusWith({ startTimes: 1 }) });
    const again = desiredAt({ pod, status: first.status });
    expect([first.status.startTimes, again.status.startTimes]).toEqual([2, 2]);
    expect(again.status).toEqual(first.status);
  });

  it('startTimes does not count a pod again that a watch shows after its end was recorded', () => {
    const pod = observed({ uid: 'pod-2', ordinal: 2 });
    const gone = desiredAt({ status: statusWith({ startTimes: 2, currentPodUID: 'pod-2' }) });
    expect(gone.status).toMatchObject({ startTimes: 2, lastExit: { podUID: 'pod-2' } });
    expect(desiredAt({ pod, status: gone.status }).status.startTimes).toBe(2);
  });

  it('startTimes counts every pod that the status has not named, whatever number is on it', () => {
    const status = statusWith({ startTimes: 7, currentPodUID: 'pod-0' });
    expect(desiredAt({ pod: observed({ ordinal: 7 }), status }).status.startTimes).toBe(8);
    expect(desiredAt({ pod: observed({ ordinal: 12 }), status }).status.startTimes).toBe(12);
  });

  it('startTimes does not count a pod without a number that can be read: it was not started by us', () => {
    for (const ordinal of ['', '0', '-3', '1e9', 'many']) {
      const annotations = { 'immortalcontainer.flugel.it/start-ordinal': ordinal };
      const { status } = desiredAt({ pod: observed({ annotations }), status: statusWith({ startTimes: 7 }) });
      expect(status.startTimes).toBe(7);
    }
  });

  it('startTimes numbers the next pod when the last is gone', () => {
    const { children } = desiredAt({ status: statusWith({ startTimes: 7 }) });
    expect(children[0]?.object.metadata?.annotations).toMatchObject({
      'immortalcontainer.flugel.it/start-ordinal': '8',
    });
  });

  it('lastStartTime is when the current pod was created', () => {
    expect(desiredAt({ pod: observed() }).status.lastStartTime).toBe('2026-11-21T09:00:00Z');
  });

  it('containerRestarts are those of the current pod', () => {
    expect(desiredAt({ pod: observed({ restarts: 6 }) }).status.containerRestarts).toBe(6);
    expect(desiredAt({ status: statusWith({ containerRestarts: 6 }) }).status.containerRestarts).toBe(0);
  });
});
