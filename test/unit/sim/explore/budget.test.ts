import { expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { createClusterServer } from '#lib/sim/cluster.ts';
import { type Budget, moves } from '#lib/sim/explore/budget.ts';
import { World } from '#lib/sim/world/world.ts';

it('moves() advances the time only within the budget', async () => {
  const scenario = { name: 'small', kinds: [podSet], script: [], outcome: () => null };
  const world = new World({ scenario, seed: 1, createServer: createClusterServer });
  await world.take('operator-1 starts');
  for (const label of ['→ list', '← list', '→ watch']) await world.take(`operator-1 ${label} pods`);
  const advances = (budget: Budget) => moves(world, budget).filter(({ key }) => key === 'time');
  expect(advances({ time: 1 })).toEqual([{ label: world.cluster.timeStep()?.label, key: 'time' }]);
  expect(advances({ time: 0 })).toEqual([]);
  expect(moves(world, {}).map(({ label }) => label)).toEqual(world.cluster.progress().map(({ label }) => label));
});
