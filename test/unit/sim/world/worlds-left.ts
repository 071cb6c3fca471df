import { podSet } from '#constructs/pod-set/kind.ts';
import { simulationOf } from '#lib/sim/cluster.ts';
import { prepared } from '#lib/sim/explore/run.ts';
import { World } from '#lib/sim/world/world.ts';
import { setsAtRest } from '#test/sim/scenarios/outcome.ts';
import { createSet } from '#test/sim/scenarios/script.ts';

const WORLDS = 40;
const ROUNDS = 4;
/** The steps until the set has its pods and sends its status. */
const STEPS = 18;

const simulation = prepared(
  simulationOf({ name: 'garbage', kinds: [podSet], script: [createSet('web', 2)], outcome: setsAtRest }),
);

/** Cuts a watch, so that its reflector waits before it opens the next one. */
const isCut = process.argv[2] === 'cut';

const runWorld = async (): Promise<void> => {
  const world = new World({ ...simulation, seed: 0 });
  for (let step = 0; step < STEPS; step += 1) {
    const next = world.cluster.calmStep() ?? world.scriptStep();
    if (next !== undefined) await world.take(next);
  }
  if (isCut) await world.take('watch cut: operator-1 watch pods');
};

const { gc } = globalThis;
if (gc === undefined) throw new Error('Run this file with --expose-gc');

/** Prints the bytes of each world that are still in memory after garbage collections, for each round. */
for (let round = 0; round < ROUNDS; round += 1) {
  gc();
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < WORLDS; count += 1) await runWorld();
  gc({ type: isCut ? 'major' : 'minor' });
  gc({ type: isCut ? 'major' : 'minor' });
  process.stdout.write(`${Math.round((process.memoryUsage().heapUsed - before) / WORLDS)}\n`);
}
