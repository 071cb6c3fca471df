import { describe, expect, it } from 'vitest';
import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import { type ObjectMeta, Pod } from '#lib/kind/handles/reference.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';

const POD = 'web-immortalpod';

/** Writes the status as a kubelet. */
const report = (bench: LoopBench, phase: string, more: object = {}): void => {
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-11-21T09:30:00Z' }];
  bench.api.editStatus(Pod, POD, { phase, conditions, ...more });
  bench.catchUp();
};

const uidOf = (bench: LoopBench): string => bench.api.one(Pod, POD).metadata.uid;

/** A container whose first pod is running and ready. */
const settled = async (): Promise<LoopBench> => {
  const bench = new LoopBench(immortalContainer);
  bench.declare('web', { image: 'nginx:latest', restartPolicy: 'Always' });
  await bench.converge('web');
  report(bench, 'Running');
  await bench.timers.advance(1000);
  await bench.converge('web');
  return bench;
};

/** Mistakes of well-known example operators for the same kind, with a test for each. */
describe('ImmortalContainer does not repeat the mistakes of earlier operators', () => {
  it.each([
    { phase: 'Failed', more: { reason: 'Evicted' } },
    { phase: 'Succeeded', more: {} },
  ])('any pod that exists counting as alive: one that is $phase is replaced', async ({ phase, more }) => {
    const bench = await settled();
    const uid = uidOf(bench);
    report(bench, phase, more);
    await bench.timers.advance(60_000);
    await bench.converge('web');
    await bench.timers.advance(400_000);
    await bench.converge('web');
    expect(uidOf(bench)).not.toBe(uid);
    expect(bench.statusOf('web')).toMatchObject({ startTimes: 2, lastExit: { podUID: uid } });
  });

  it('a foreign pod taken for its own: it is neither counted nor touched', async () => {
    const bench = new LoopBench(immortalContainer);
    const spec = { containers: [{ name: 'c', image: 'busybox' }] };
    bench.api.put(Pod, { apiVersion: 'v1', kind: 'Pod', metadata: { name: POD, namespace: 'default' }, spec });
    bench.declare('web', { image: 'nginx:latest' });
    await bench.converge('web');
    expect(bench.statusOf('web')).toMatchObject({ phase: 'Blocked', startTimes: 0 });
    expect(bench.api.one(Pod, POD).metadata).not.toHaveProperty('ownerReferences');
  });

  it('a crash between the creation of the pod and the status losing a count: the number on the pod shows it', async () => {
    const bench = new LoopBench(immortalContainer);
    bench.declare('web', { image: 'nginx:latest' });
    await bench.pass('web');
    expect(bench.statusOf('web')).toEqual({});
    const successor = new LoopBench(immortalContainer);
    const { spec } = bench.api.one(bench.kind, 'web') as unknown as { spec: object };
    const parent = successor.declare('web', spec);
    const { annotations, labels } = bench.api.one(Pod, POD).metadata as ObjectMeta;
    const [apiVersion, kind] = ['immortalcontainer.flugel.it/v1alpha1', 'ImmortalContainer'];
    const owner = { apiVersion, kind, name: 'web', uid: parent.metadata.uid, controller: true };
    const metadata = { name: POD, namespace: 'default', annotations, labels, ownerReferences: [owner] } as const;
    const pod = { spec: { containers: [{ name: 'acontainer', image: 'nginx:latest' }] } };
    successor.api.put(Pod, { apiVersion: 'v1', kind: 'Pod', metadata, ...pod });
    successor.catchUp();
    await successor.converge('web');
    expect(successor.statusOf('web')).toMatchObject({ startTimes: 1, currentPod: POD });
  });

  it('an edit of the image being ignored: another pod runs it', async () => {
    const bench = await settled();
    const uid = uidOf(bench);
    bench.edit('web', { image: 'nginx:1.27', restartPolicy: 'Always' });
    bench.catchUp();
    await bench.converge('web');
    expect(uidOf(bench)).not.toBe(uid);
    expect(bench.api.one(Pod, POD)).toMatchObject({ spec: { containers: [{ image: 'nginx:1.27' }] } });
  });

  it('the window that stays: a pod that is gone before the status counted it leaves its number to the next', async () => {
    const bench = new LoopBench(immortalContainer);
    bench.declare('web', { image: 'nginx:latest' });
    await bench.pass('web');
    bench.api.vanish(Pod, POD);
    bench.catchUp();
    await bench.converge('web');
    expect(bench.statusOf('web')).toMatchObject({ startTimes: 1 });
  });

  it('asking without a reason: a container that runs causes no request and no other look', async () => {
    const bench = await settled();
    bench.api.requests.length = 0;
    expect(await bench.pass('web')).toEqual({ next: 'rest' });
    expect(bench.api.requests).toEqual([]);
  });
});
