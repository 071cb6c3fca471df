import { describe, expect, it } from 'vitest';
import { podSetStateOf, podSetStatusOf } from '#constructs/pod-set/desired.ts';
import { classicPod } from '#constructs/pod-set/pods.ts';
import { observedPod } from '#test/unit/support/pods.ts';

const labels = { 'app.example.com/podset': 'web' };
const running = (name: string) => observedPod({ name });
const pending = (name: string) => observedPod({ name, phase: 'Pending' });

describe('podSetStatusOf()', () => {
  it('podSetStatusOf() is all zeros when there are no pods', () => {
    expect(podSetStatusOf([], labels)).toEqual({
      replicas: 0,
      readyReplicas: 0,
      podNames: [],
      selector: 'app.example.com/podset=web',
    });
  });

  it('podSetStatusOf() counts active pods, and ready ones among them', () => {
    const pods = [
      running('a'),
      pending('b'),
      observedPod({ name: 'c', phase: 'Unknown', ready: false }),
      observedPod({ name: 'd', phase: 'Failed' }),
      observedPod({ name: 'e', phase: 'Succeeded' }),
      observedPod({ name: 'f', terminating: true }),
    ];
    expect(podSetStatusOf(pods, labels)).toMatchObject({ replicas: 3, readyReplicas: 1, podNames: ['a', 'b', 'c'] });
  });

  it('podSetStatusOf() is the same when pods are listed in another order', () => {
    const pods = ['c', 'a', 'b'].map(running);
    expect(podSetStatusOf(pods.toReversed(), labels)).toEqual(podSetStatusOf(pods, labels));
    expect(podSetStatusOf(pods, labels).podNames).toEqual(['a', 'b', 'c']);
  });

  it.each([
    { count: 1000, listed: 1000, truncated: undefined, reason: 'a thousand names are listed' },
    { count: 1001, listed: 1000, truncated: true, reason: 'one is too many' },
    { count: 10_000, listed: 1000, truncated: true, reason: 'many are too many' },
  ])('podSetStatusOf() lists $listed of $count names when $reason', ({ count, listed, truncated }) => {
    const names = Array.from({ length: count }, (_, i) => `pod-${String(i).padStart(5, '0')}`);
    const status = podSetStatusOf(names.toReversed().map(pending), labels);
    expect(status.replicas).toBe(count);
    expect(status.podNames).toEqual(names.slice(0, listed));
    expect(status.podNamesTruncated).toBe(truncated);
  });

  it('podSetStatusOf() does not mention truncation when nothing is cut', () => {
    expect(podSetStatusOf([running('a')], labels)).not.toHaveProperty('podNamesTruncated');
  });
});

describe('podSetStateOf()', () => {
  it.each([
    { replicas: 0, pods: [], state: 'ready', why: 'PodsReady', reason: 'none are wanted and none are there' },
    { replicas: 2, pods: [running('a'), running('b')], state: 'ready', why: 'PodsReady', reason: 'all are ready' },
    { replicas: 2, pods: [running('a')], state: 'progressing', why: 'ScalingUp', reason: 'one is missing' },
    { replicas: 0, pods: [running('a')], state: 'progressing', why: 'ScalingDown', reason: 'one is too many' },
    {
      replicas: 2,
      pods: [running('a'), pending('b')],
      state: 'progressing',
      why: 'PodsNotReady',
      reason: 'one is not ready',
    },
    {
      replicas: 1,
      pods: [observedPod({ name: 'a', phase: 'Failed' })],
      state: 'progressing',
      why: 'ScalingUp',
      reason: 'a failed pod does not count',
    },
    {
      replicas: 1,
      pods: [running('a'), observedPod({ name: 'b', terminating: true })],
      state: 'ready',
      why: 'PodsReady',
      reason: 'a terminating pod does not count',
    },
  ])('podSetStateOf() is $state, $why, when $reason', ({ replicas, pods, state, why }) => {
    expect(podSetStateOf(replicas, pods)).toMatchObject({ state, reason: why });
  });

  it('podSetStateOf() says how many there are and how many there should be', () => {
    expect(podSetStateOf(3, [running('a')]).message).toBe('1 of 3 pods exist');
    expect(podSetStateOf(2, [running('a'), pending('b')]).message).toBe('1 of 2 pods are ready');
  });
});

describe('classicPod()', () => {
  const pod = classicPod('web-x7k2p', { app: 'web' });

  it('classicPod() is busybox that sleeps', () => {
    expect(pod).toMatchObject({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web-x7k2p', labels: { app: 'web' } },
    });
    expect(pod.spec?.containers).toMatchObject([{ name: 'busybox', image: 'busybox', command: ['sleep', '3600'] }]);
  });

  it('classicPod() satisfies the Pod Security level restricted, control by control', () => {
    expect(pod.spec?.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(pod.spec?.securityContext?.runAsUser).toBeGreaterThan(0);
    for (const { securityContext, ports } of pod.spec?.containers ?? []) {
      expect(securityContext?.allowPrivilegeEscalation).toBe(false);
      expect(securityContext?.capabilities).toEqual({ drop: ['ALL'] });
      expect(securityContext?.privileged ?? false).toBe(false);
      expect(ports ?? []).toEqual([]);
    }
    const { hostNetwork, hostPID, hostIPC, volumes = [], initContainers = [] } = pod.spec ?? {};
    expect([hostNetwork, hostPID, hostIPC]).toEqual([undefined, undefined, undefined]);
    expect([...volumes, ...initContainers]).toEqual([]);
  });

  it('classicPod() shares nothing with the labels that it was given', () => {
    const given = { app: 'web' };
    const { metadata } = classicPod('a', given);
    given.app = 'other';
    expect(metadata?.labels).toEqual({ app: 'web' });
  });
});
