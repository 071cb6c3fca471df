import type { Pod as KubePod } from 'kubernetes-types/core/v1.js';
import { describe, expect, it } from 'vitest';
import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { desiredAt, observed, statusWith, verbsOf } from './scene.ts';

const stranger = (metadata: object = {}): KubePod => {
  const pod = observed({ uid: 'stranger', annotations: {} });
  return { ...pod, metadata: { ...pod.metadata, ...metadata } };
};

const owner = (more: object = {}) => ({
  apiVersion: 'immortalcontainer.flugel.it/v1alpha1',
  kind: 'ImmortalContainer',
  name: 'web',
  uid: 'another',
  controller: true,
  ...more,
});

const given = { 'immortalcontainer.flugel.it/adopt': 'true' };

describe('the kind ImmortalContainer, when a foreign pod has the name of its pod', () => {
  it('the kind is Blocked, touches nothing, and counts nothing', () => {
    const status = statusWith({ startTimes: 3 });
    const result = desiredAt({ related: [stranger()], orphans: [stranger()], status });
    expect(result.children).toEqual([]);
    expect(result.status).toMatchObject({ phase: 'Blocked', startTimes: 3 });
    expect(result.status).not.toHaveProperty('currentPod');
    expect(result.state).toMatchObject({ state: 'stalled', reason: 'NameConflict' });
    expect(result.state.message).toContain('"web-immortalpod"');
    expect(result.conditions).toMatchObject([{ type: 'PodCreated', status: 'False', reason: 'NameConflict' }]);
    expect(result.events).toMatchObject([{ type: 'Warning', reason: 'PodNameConflict' }]);
  });

  it('the kind adopts a pod without a controller that an annotation offers', () => {
    const pod = stranger({ annotations: given });
    expect(verbsOf(desiredAt({ related: [pod], orphans: [pod] }))).toEqual(['adopt']);
  });

  it.each([
    {
      why: 'it is given away by another word',
      metadata: { annotations: { 'immortalcontainer.flugel.it/adopt': 'yes' } },
    },
    {
      why: 'another controller has it',
      metadata: { annotations: given, ownerReferences: [owner({ kind: 'ReplicaSet' })] },
    },
    { why: 'it is being deleted', metadata: { annotations: given, deletionTimestamp: '2026-11-21T09:30:10Z' } },
  ])('the kind does not adopt a pod when $why', ({ metadata }) => {
    const pod = stranger(metadata);
    const result = desiredAt({ related: [pod], orphans: [pod] });
    expect(result.children).toEqual([]);
    expect(result.status.phase).toBe('Blocked');
  });

  it('the kind keeps an adopted pod as it is until it ends or the spec is edited, and does not count it as a start', () => {
    const adopted = desiredAt({ pod: stranger(), status: statusWith({ startTimes: 2 }) });
    expect(verbsOf(adopted)).toEqual(['keep']);
    expect(adopted.status).toMatchObject({ phase: 'Running', startTimes: 2, currentPodUID: 'stranger' });
    const { status } = adopted;
    expect(verbsOf(desiredAt({ pod: stranger(), status }))).toEqual(['keep']);
    for (const updatePolicy of ['Recreate', 'InPlace'] as const) {
      const edited = desiredAt({ pod: stranger(), status, spec: { image: 'nginx:1.27', updatePolicy } });
      expect(verbsOf(edited)).toEqual(['remove Replaced']);
    }
  });

  it('the kind waits for the pod of a deleted resource of the same name, which is no conflict', () => {
    const pod = stranger({ ownerReferences: [owner()] });
    const { status, state, children } = desiredAt({ related: [pod] });
    expect(children).toEqual([]);
    expect(status.phase).toBe('Replacing');
    expect(state.state).toBe('progressing');
  });

  it.each([
    { whose: 'a resource of another name', reference: { name: 'other' } },
    { whose: 'a kind of another group', reference: { apiVersion: 'example.com/v1' } },
    { whose: 'another kind', reference: { kind: 'Job' } },
    { whose: 'an owner that does not control it', reference: { controller: false } },
  ])('the kind is Blocked by the pod of $whose: it will not go by itself', ({ reference }) => {
    const pod = stranger({ ownerReferences: [owner(reference)] });
    expect(desiredAt({ related: [pod] }).status.phase).toBe('Blocked');
  });

  it('the kind asks for its own pod again when it is not among its children yet: that is no conflict', () => {
    const pod = stranger({ ownerReferences: [owner({ uid: 'own-uid' })] });
    const result = desiredAt({ related: [pod], metadata: { uid: 'own-uid' } });
    expect(verbsOf(result)).toEqual(['apply']);
    expect(result.status.phase).toBe('Starting');
  });

  it('the kind ignores the owner of the name while it is suspended', () => {
    expect(desiredAt({ spec: { suspend: true }, related: [stranger()] }).status.phase).toBe('Suspended');
  });

  it('the kind starts its pod as soon as the name is free', async () => {
    const bench = new LoopBench(immortalContainer);
    const controller = bench.controller();
    bench.api.put(Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web-immortalpod', namespace: 'default' },
      spec: { containers: [{ name: 'c', image: 'busybox' }] },
    });
    bench.declare('web', { image: 'nginx:latest' });
    controller.start();
    await bench.timers.advance(1000);
    expect(bench.statusOf('web')).toMatchObject({ phase: 'Blocked' });
    expect(bench.conditionOf('web', 'Stalled')).toMatchObject({ status: 'True', reason: 'NameConflict' });
    const before = bench.api.requests.length;
    await bench.timers.advance(600_000);
    expect(bench.api.requests.length).toBe(before);
    bench.api.vanish(Pod, 'web-immortalpod');
    bench.catchUp();
    await bench.timers.advance(1000);
    expect(bench.statusOf('web')).toMatchObject({ phase: 'Pending', startTimes: 1 });
  });

  it('the kind adopts a pod that was given away, whatever labels it wears, and deletes it with the next edit', async () => {
    const bench = new LoopBench(immortalContainer);
    const metadata = { name: 'web-immortalpod', namespace: 'default', annotations: given };
    const spec = { containers: [{ name: 'c', image: 'busybox' }] };
    const { uid } = bench.api.put(Pod, { apiVersion: 'v1', kind: 'Pod', metadata, spec }).metadata;
    bench.declare('web', { image: 'nginx:latest' });
    await bench.converge('web');
    expect(bench.statusOf('web')).toMatchObject({ phase: 'Pending', startTimes: 0, currentPodUID: uid });
    expect(bench.api.one(Pod, 'web-immortalpod').metadata).toMatchObject({ uid, ownerReferences: [{ name: 'web' }] });
    bench.edit('web', { image: 'nginx:1.27' });
    bench.catchUp();
    await bench.converge('web');
    expect(bench.api.one(Pod, 'web-immortalpod').metadata.uid).not.toBe(uid);
    expect(bench.statusOf('web')).toMatchObject({ startTimes: 1, lastExit: { podUID: uid, reason: 'Replaced' } });
  });
});
