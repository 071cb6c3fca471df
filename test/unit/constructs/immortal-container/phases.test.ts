import { describe, expect, it } from 'vitest';
import { desiredAt, observed, statusWith, verbsOf } from './scene.ts';

describe('the kind ImmortalContainer', () => {
  it('the kind starts a pod when there is none: the classic container, under the classic name', () => {
    const result = desiredAt();
    const [intent] = result.children;
    expect(intent?.object).toMatchObject({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'web-immortalpod',
        labels: { app: 'web' },
        annotations: { 'immortalcontainer.flugel.it/start-ordinal': '1' },
      },
      spec: { restartPolicy: 'Always', containers: [{ name: 'acontainer', image: 'nginx:latest' }] },
    });
    expect(result.status).toMatchObject({ phase: 'Starting', startTimes: 0 });
    expect(result.state).toMatchObject({ state: 'progressing', reason: 'Starting' });
    expect(result.conditions).toMatchObject([{ type: 'PodCreated', status: 'False', reason: 'Starting' }]);
  });

  it.each([
    { phase: 'Pending', ready: false, called: 'Pending', state: 'progressing', reason: 'PodNotReady' },
    { phase: 'Running', ready: false, called: 'Running', state: 'progressing', reason: 'PodNotReady' },
    { phase: 'Running', ready: true, called: 'Running', state: 'ready', reason: 'PodReady' },
    { phase: 'Unknown', ready: false, called: 'Running', state: 'progressing', reason: 'PodNotReady' },
  ] as const)(
    'the kind leaves a pod alone that is $phase (ready: $ready), and is $state',
    ({ phase, ready, called, state, reason }) => {
      const result = desiredAt({ pod: observed({ phase, ready }) });
      expect(verbsOf(result)).toEqual(['keep']);
      expect(result.status).toMatchObject({ phase: called, currentPod: 'web-immortalpod', currentPodUID: 'pod-1' });
      expect(result.state).toMatchObject({ state, reason });
      expect(result.conditions).toMatchObject([{ type: 'PodCreated', status: 'True', reason: 'Created' }]);
    },
  );

  it.each(['Succeeded', 'Failed'] as const)(
    'the kind writes down how a pod ended before it deletes it, when it is %s',
    (phase) => {
      const pod = observed({ phase, terminated: { exitCode: phase === 'Failed' ? 3 : 0 } });
      const status = statusWith({ startTimes: 1, currentPodUID: 'pod-1' });
      const first = desiredAt({ pod, status });
      expect(verbsOf(first)).toEqual(['keep']);
      expect(first.status).toMatchObject({ phase: 'Exited', lastExit: { podUID: 'pod-1' } });
      const second = desiredAt({ pod, status: first.status });
      expect(verbsOf(second)).toEqual(['remove Exited']);
      expect(second.status).toEqual(first.status);
    },
  );

  it('the kind starts no pod while the last one is stopping, as it has the same name', () => {
    const result = desiredAt({ pod: observed({ terminatingSince: '2026-11-21T09:30:20Z' }) });
    expect(verbsOf(result)).toEqual(['keep']);
    expect(result.status).toMatchObject({ phase: 'Replacing' });
    expect(result.state).toMatchObject({ state: 'progressing', reason: 'Replacing' });
  });

  it('the kind deletes the pod when it is suspended, keeps its counters, and is at rest then', () => {
    const status = statusWith({ startTimes: 4, consecutiveFailures: 2, currentPodUID: 'pod-1' });
    const stopping = desiredAt({ spec: { suspend: true }, pod: observed({ ordinal: 4 }), status });
    expect(verbsOf(stopping)).toEqual(['remove Suspended']);
    expect(stopping.status).toMatchObject({ phase: 'Suspended', startTimes: 4 });
    const stopped = desiredAt({ spec: { suspend: true }, status });
    expect(stopped.children).toEqual([]);
    expect(stopped.status).toMatchObject({ phase: 'Suspended', startTimes: 4, consecutiveFailures: 2 });
    expect(stopped.status.lastExit).toMatchObject({ podUID: 'pod-1', reason: 'Suspended' });
    expect(stopped.status).not.toHaveProperty('nextStartTime');
    expect(stopped.state).toMatchObject({ state: 'ready', reason: 'Suspended' });
    expect(verbsOf(desiredAt({ status: stopped.status }))).toEqual(['apply']);
  });

  it('the kind says Suspended while the pod of a suspended resource is stopping', () => {
    const result = desiredAt({ spec: { suspend: true }, pod: observed({ terminatingSince: '2026-11-21T09:30:20Z' }) });
    expect(result.status).toMatchObject({ phase: 'Suspended' });
    expect(result.state).toMatchObject({ state: 'progressing', reason: 'Suspending' });
  });

  it.each(['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName'])(
    'the kind says ImagePullFailed when the pod waits with %s, which is no exit',
    (waiting) => {
      const result = desiredAt({ pod: observed({ phase: 'Pending', waiting }) });
      expect(verbsOf(result)).toEqual(['keep']);
      expect(result.status).toMatchObject({ phase: 'Pending', consecutiveFailures: 0 });
      expect(result.state).toMatchObject({ state: 'progressing', reason: 'ImagePullFailed' });
    },
  );

  it('the kind says Unschedulable when no node takes the pod', () => {
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }];
    const { state } = desiredAt({ pod: observed({ phase: 'Pending', conditions }) });
    expect(state).toMatchObject({ state: 'progressing', reason: 'Unschedulable' });
  });

  it('the kind replaces the pod at once when the image is edited, also one that never became ready', () => {
    for (const pod of [observed(), observed({ phase: 'Pending', waiting: 'ImagePullBackOff' })]) {
      const result = desiredAt({ spec: { image: 'nginx:1.27' }, pod, status: statusWith({ currentPodUID: 'pod-1' }) });
      expect(verbsOf(result)).toEqual(['remove Replaced']);
      expect(result.state).toMatchObject({ state: 'progressing', reason: 'Replacing' });
    }
  });

  it('the kind changes the image where the pod runs when updatePolicy is InPlace, and keeps its number', () => {
    const result = desiredAt({ spec: { image: 'nginx:1.27', updatePolicy: 'InPlace' }, pod: observed({ ordinal: 3 }) });
    expect(verbsOf(result)).toEqual(['apply']);
    expect(result.children[0]?.object).toMatchObject({
      metadata: { annotations: { 'immortalcontainer.flugel.it/start-ordinal': '3' } },
      spec: { containers: [{ image: 'nginx:1.27' }] },
    });
    expect(result.status).toMatchObject({ phase: 'Running', startTimes: 3, currentPodUID: 'pod-1' });
  });

  it('the kind recreates the pod when more than the image is edited, also when updatePolicy is InPlace', () => {
    const spec = { image: 'nginx:1.27', updatePolicy: 'InPlace', restartPolicy: 'Never' } as const;
    expect(verbsOf(desiredAt({ spec, pod: observed() }))).toEqual(['remove Replaced']);
  });

  it('the kind does not touch the pod when what is edited is not about it', () => {
    const spec = { updatePolicy: 'InPlace', backoff: { initialSeconds: 1 }, forceDeleteAfterSeconds: 5 } as const;
    expect(verbsOf(desiredAt({ spec, pod: observed() }))).toEqual(['keep']);
  });
});
