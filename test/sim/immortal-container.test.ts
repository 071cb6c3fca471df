import { describe, expect, it } from 'vitest';
import { simulationOf } from '#lib/sim/cluster.ts';
import { explore } from '#lib/sim/explore/explore.ts';
import { failureInWords } from '#lib/sim/explore/failure.ts';
import { runUndisturbed } from '#lib/sim/explore/run.ts';
import { immortalCases } from './scenarios/immortal/cases.ts';

/** Random schedules, of all scenarios together. */
const SCHEDULES = process.env['SOAK'] === undefined ? 120 : 10_000;

/** Seeds are dealt out: each scenario has its own. */
const seedsOf = (index: number): number[] =>
  Array.from({ length: SCHEDULES }, (_, seed) => seed + 1).filter((seed) => seed % immortalCases.length === index);

describe('ImmortalContainer under any schedule', () => {
  it.for(immortalCases.map((it, index) => [it.scenario.name, index, it] as const))(
    '%s ends as if nothing had gone wrong, and then stays quiet',
    async ([, index, { scenario, chaos, calm }]) => {
      const seeds = seedsOf(index);
      const { schedules, failures } = await explore(simulationOf(scenario, calm && { calm }), { ...chaos, seeds });
      expect(failures.map(failureInWords).join('\n\n')).toBe('');
      expect(schedules).toBe(seeds.length);
    },
  );

  it('no scenario sends a request at rest when nothing goes wrong', async () => {
    for (const { scenario, calm } of immortalCases) {
      const { requestsAtRest } = await runUndisturbed(simulationOf(scenario, calm && { calm }));
      expect([scenario.name, requestsAtRest]).toEqual([scenario.name, 0]);
    }
  });
});
