import { describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { strangersPod } from '#test/unit/support/shelf-kind.ts';
import { desiredOf, reasonsOf, setPod } from './support.ts';

/** Writes the phase as a kubelet does. */
const setPhase = (bench: LoopBench, name: string, phase: string): void => {
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-11-21T09:30:00Z' }];
  bench.api.editStatus(Pod, name, { phase, conditions });
};

/** A set whose pods are running and ready. */
const settled = async (replicas: number): Promise<LoopBench> => {
  const bench = new LoopBench(podSet);
  bench.declare('web', { replicas });
  await bench.converge('web');
  for (const name of bench.podNames()) setPhase(bench, name, 'Running');
  bench.catchUp();
  await bench.timers.advance(1000);
  await bench.converge('web');
  return bench;
};

/** Mistakes of well-known example operators for the same kind, with a test for each. */
describe('PodSet does not repeat the mistakes of earlier operators', () => {
  it('fixed pod name: every pod has a name of its own, so that the second create is no conflict', async () => {
    const bench = await settled(3);
    expect(new Set(bench.podNames()).size).toBe(3);
    expect(bench.podNames()).not.toContain('web-pod');
    expect(bench.conditionOf('web', 'Ready')?.status).toBe('True');
  });

  it('scale-down of the first of an unfiltered list: a terminating or failed pod is not taken for the surplus', () => {
    const children = [
      setPod({ name: 'a-terminating', terminating: true }),
      setPod({ name: 'b-failed', phase: 'Failed' }),
      setPod({ name: 'c-running' }),
      setPod({ name: 'd-running' }),
    ];
    const spec = { replicas: 1, failedPods: { keepLast: 0 } };
    expect(reasonsOf(desiredOf({ spec, children }))).toEqual({ 'b-failed': 'PodFailed', 'c-running': 'ScaledDown' });
  });

  it('counting by label: a pod with the labels and without an owner is neither counted nor deleted', async () => {
    const bench = await settled(2);
    const labels = { app: 'web', 'app.example.com/podset': 'web' };
    bench.api.put(Pod, strangersPod('lookalike', { labels }));
    bench.edit('web', { replicas: 1 });
    bench.catchUp();
    await bench.converge('web');
    expect(bench.podNames()).toContain('lookalike');
    expect(bench.podNames()).toHaveLength(2);
    expect(bench.statusOf('web')).toMatchObject({ replicas: 1 });
  });

  it('counting by label: a pod that a user took out of the selection is released and replaced, not deleted', async () => {
    const bench = await settled(2);
    const [name = ''] = bench.podNames();
    bench.api.edit(Pod, name, (pod) => ({ ...pod, metadata: { ...pod.metadata, labels: { app: 'web' } } }));
    bench.catchUp();
    await bench.converge('web');
    expect(bench.podNames()).toHaveLength(3);
    expect(bench.pods().find(({ metadata }) => metadata.name === name)?.metadata).not.toHaveProperty('ownerReferences');
    expect(bench.statusOf('web')).toMatchObject({ replicas: 2 });
  });

  it('unconditional requeue: a set that is as it should be asks for no other look and sends nothing', async () => {
    const bench = await settled(3);
    bench.api.requests.length = 0;
    expect(await bench.pass('web')).toEqual({ next: 'rest' });
    expect(bench.api.requests).toEqual([]);
  });

  it('unsorted podNames: the status is the same whatever the order of the list, so that it does not flap', () => {
    const children = ['c', 'a', 'b'].map((name) => setPod({ name }));
    const { status } = desiredOf({ spec: { replicas: 3 }, children });
    expect(status.podNames).toEqual(['a', 'b', 'c']);
    expect(desiredOf({ spec: { replicas: 3 }, children: children.toReversed() }).status).toEqual(status);
  });

  it('a failed pod that counts as alive: it is replaced', async () => {
    const bench = await settled(2);
    const [name = ''] = bench.podNames();
    setPhase(bench, name, 'Failed');
    bench.catchUp();
    await bench.timers.advance(60_000);
    await bench.converge('web');
    expect(bench.statusOf('web')).toMatchObject({ replicas: 2 });
    expect((bench.statusOf('web') as { podNames: string[] }).podNames).not.toContain(name);
  });
});
