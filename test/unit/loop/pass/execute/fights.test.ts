import { describe, expect, it } from 'vitest';
import { ConfigMap, Deployment } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { wardrobe } from '#test/unit/support/wardrobe-kind.ts';

const standing = async (): Promise<LoopBench> => {
  const bench = new LoopBench(wardrobe);
  bench.declare('w', { content: { data: { key: 'ours' }, kinds: ['Deployment', 'ConfigMap'] } });
  await bench.converge('w');
  await bench.timers.advance(1000);
  bench.api.requests.length = 0;
  return bench;
};

type Shape = ApiObject & { readonly spec?: object; readonly data?: object };

/** Some passes that do not wait for holds. */
const passes = async (bench: LoopBench): Promise<void> => {
  for (let pass = 0; pass < 3; pass += 1) {
    await bench.pass('w');
    bench.catchUp();
  }
};

/** Scales the Deployment as another writer, and delivers the event to the loop. */
const scale = async (bench: LoopBench, replicas = 9): Promise<void> => {
  bench.api.edit(Deployment, 'w', (it: Shape) => ({ ...it, spec: { ...it.spec, replicas } }));
  bench.catchUp();
  await passes(bench);
  await bench.timers.advance(1000);
};

const replicasOf = (bench: LoopBench): unknown =>
  (bench.api.one(Deployment, 'w')['spec'] as { readonly replicas: number }).replicas;

const applies = (bench: LoopBench): number => bench.api.requests.filter(({ verb }) => verb === 'apply').length;

const fight = async (bench: LoopBench, rounds: number): Promise<void> => {
  for (let round = 0; round < rounds; round += 1) await scale(bench, 9 + round);
};

describe('assertNoFight()', () => {
  it('assertNoFight() allows corrections of rare foreign changes', async () => {
    const bench = await standing();
    for (let day = 0; day < 20; day += 1) {
      await scale(bench);
      expect(replicasOf(bench)).toBe(2);
      await bench.timers.advance(60_000);
    }
    expect(bench.conditionOf('w', 'Ready')).toMatchObject({ status: 'True' });
  });

  it('assertNoFight() stops after five corrections in a row and names the manager and the field', async () => {
    const bench = await standing();
    await fight(bench, 12);
    expect(applies(bench)).toBe(5);
    expect(replicasOf(bench)).toBe(20);
    expect(bench.conditionOf('w', 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'FieldConflict',
      message: expect.stringMatching(
        /^"\S+" keeps changing spec\.replicas of Deployment "w"; let one of the two go$/,
      ) as unknown,
    });
  });

  it('assertNoFight() asks for nothing while it leaves the field alone', async () => {
    const bench = await standing();
    await fight(bench, 12);
    bench.api.requests.length = 0;
    for (let pass = 0; pass < 5; pass += 1) await bench.pass('w');
    expect(bench.api.requests).toEqual([]);
  });

  it('assertNoFight() leaves other children alone, which are kept as they should be', async () => {
    const bench = await standing();
    await fight(bench, 8);
    bench.api.edit(ConfigMap, 'w', (it: Shape) => ({ ...it, data: { key: 'theirs' } }));
    bench.catchUp();
    await bench.converge('w');
    expect((bench.api.one(ConfigMap, 'w') as Shape).data).toEqual({ key: 'ours' });
  });

  it('assertNoFight() tries once more after a while, and all is well when the other has let go', async () => {
    const bench = await standing();
    await fight(bench, 8);
    await bench.timers.advance(31_000);
    await bench.converge('w');
    expect(replicasOf(bench)).toBe(2);
    await bench.timers.advance(1000);
    await bench.converge('w');
    expect(bench.conditionOf('w', 'Ready')).toMatchObject({ status: 'True' });
  });

  it('assertNoFight() waits longer every time when the other goes on', async () => {
    const bench = await standing();
    const corrections: number[] = [];
    for (let second = 0; second < 1200; second += 5) {
      const before = applies(bench);
      await scale(bench, 9 + (second % 7));
      await bench.timers.advance(4000);
      if (applies(bench) > before) corrections.push(second);
    }
    const pauses = corrections.slice(5).map((second, index, all) => (index === 0 ? 0 : second - (all[index - 1] ?? 0)));
    expect(corrections.length).toBeLessThan(5 + 8);
    expect(pauses.slice(1)).toEqual(pauses.slice(1).toSorted((a, b) => a - b));
  });

  it('assertNoFight() takes the field back at once when the spec is edited, because that may be the remedy', async () => {
    const bench = await standing();
    await fight(bench, 8);
    bench.edit('w', { content: { data: { key: 'ours' }, kinds: ['Deployment', 'ConfigMap'], image: 'other' } });
    bench.catchUp();
    await bench.converge('w');
    expect(replicasOf(bench)).toBe(2);
  });
});
