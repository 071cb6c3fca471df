import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { simulationOf } from '#lib/sim/cluster.ts';
import { prepared } from '#lib/sim/explore/run.ts';
import { World } from '#lib/sim/world/world.ts';
import { setsAtRest } from '#test/sim/scenarios/outcome.ts';
import { createSet } from '#test/sim/scenarios/script.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void;

const simulation = prepared(
  simulationOf({ name: 'garbage', kinds: [podSet], script: [createSet('web', 2)], outcome: setsAtRest }),
);

const WORLDS = 40;
/** The steps until the set has its pods and sends its status. */
const STEPS = 18;
/** The whole world takes about 270 kB. */
const MOST_BYTES_OF_A_WORLD = 120_000;
const ROUNDS = 3;

const runWorld = async (): Promise<void> => {
  const world = new World({ ...simulation, seed: 0 });
  for (let step = 0; step < STEPS; step += 1) {
    const next = world.cluster.calmStep() ?? world.scriptStep();
    if (next !== undefined) await world.take(next);
  }
};

/** The bytes of earlier worlds that are still in memory after minor garbage collections. */
const bytesLeft = async (): Promise<number> => {
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < WORLDS; count += 1) await runWorld();
  collect({ type: 'minor' });
  collect({ type: 'minor' });
  return process.memoryUsage().heapUsed - before;
};

describe('World', () => {
  // A getter in an object literal keeps what it refers to until a full collection: see `readStatus` in lib/loop/pass/observe.ts.
  it('World is freed by minor garbage collections, with the first pass of its operator', async () => {
    await bytesLeft();
    const rounds: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) rounds.push(await bytesLeft());
    expect(Math.min(...rounds)).toBeLessThan(WORLDS * MOST_BYTES_OF_A_WORLD);
  });
});
