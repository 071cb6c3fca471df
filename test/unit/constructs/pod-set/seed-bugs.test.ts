import { describe, expect, it } from 'vitest';
import { podSetStatusOf, scalePods } from '#constructs/pod-set/desired.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import { passClock } from '#lib/desired/clock.ts';
import { Pod } from '#lib/kind/reference.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { observedPod } from '#test/unit/support/pods.ts';
import { strangersPod } from '#test/unit/support/shelf-kind.ts';

/** The kubelet reports. */
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

/** Mistakes of well-known example operators for the same kind; each is kept out by a test. */
describe('PodSet does not repeat the mistakes of earlier operators', () => {
  const set = { name: 'web', uid: 'uid-web' };
  const { clock } = passClock(Date.parse('2026-11-21T09:30:00Z') * 1000);

  it('fixed pod name: every pod has a name of its own, so that the second create is no conflict', async () => {
    const bench = await settled(3);
    expect(new Set(bench.podNames()).size).toBe(3);
    expect(bench.podNames()).not.toContain('web-pod');
    expect(bench.conditionOf('web', 'Ready')?.status).toBe('True');
  });

  it('scale-down of the first of an unfiltered list: a terminating or failed pod is not taken for the surplus', () => {
    const pods = [
      observedPod({ name: 'a-terminating', terminating: true }),
      observedPod({ name: 'b-failed', phase: 'Failed' }),
      observedPod({ name: 'c-running' }),
      observedPod({ name: 'd-running' }),
    ];
    const removed = scalePods({ set, replicas: 1, pods, clock }).filter((intent) => intent.verb === 'remove');
    expect(removed.map(({ object, because }) => `${object.metadata?.name ?? ''} ${because}`)).toEqual([
      'c-running ScaledDown',
      'b-failed PodFailed',
    ]);
  });

  it('counting by label: a pod that wears the labels and belongs to nobody is neither counted nor deleted', async () => {
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

  it('counting by label: a pod whose labels were edited still belongs to its set', async () => {
    const bench = await settled(2);
    const [name = ''] = bench.podNames();
    bench.api.edit(Pod, name, (pod) => ({ ...pod, metadata: { ...pod.metadata, labels: {} } }));
    bench.catchUp();
    await bench.converge('web');
    expect(bench.podNames()).toHaveLength(2);
  });

  it('unconditional requeue: a set that is as it should be asks for no other look and sends nothing', async () => {
    const bench = await settled(3);
    bench.api.requests.length = 0;
    expect(await bench.pass('web')).toEqual({ next: 'rest' });
    expect(bench.api.requests).toEqual([]);
  });

  it('unsorted podNames: the status is the same whatever the order of the list, so that it does not flap', () => {
    const pods = ['c', 'a', 'b'].map((name) => observedPod({ name }));
    expect(podSetStatusOf(pods, {}).podNames).toEqual(['a', 'b', 'c']);
    expect(podSetStatusOf(pods.toReversed(), {})).toEqual(podSetStatusOf(pods, {}));
  });

  it('a failed pod that counts as alive: it is replaced', async () => {
    const bench = await settled(2);
    const [name = ''] = bench.podNames();
    setPhase(bench, name, 'Failed');
    bench.catchUp();
    await bench.timers.advance(1000);
    await bench.converge('web');
    expect(bench.podNames()).not.toContain(name);
    expect(bench.podNames()).toHaveLength(2);
  });
});
