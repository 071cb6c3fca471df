import { describe, expect, it } from 'vitest';
import { simulationOf } from '#lib/sim/cluster.ts';
import { explore } from '#lib/sim/explore/explore.ts';
import { failureInWords } from '#lib/sim/explore/failure.ts';
import { runUndisturbed } from '#lib/sim/explore/run.ts';
import { canaryCases } from './scenarios/canary-rollout.ts';

/** Random schedules, of all scenarios together. */
const SCHEDULES = process.env['SOAK'] === undefined ? 24 : 10_000;

/** Seeds are dealt out: each scenario has its own. */
const seedsOf = (index: number): number[] =>
  Array.from({ length: SCHEDULES }, (_, seed) => seed + 1).filter((seed) => seed % canaryCases.length === index);

describe('CanaryRollout under any schedule', () => {
  it.for(canaryCases.map((it, index) => [it.scenario.name, index, it] as const))(
    '%s ends as if nothing had gone wrong, and then stays quiet',
    async ([, index, { scenario, chaos }]) => {
      const seeds = seedsOf(index);
      const simulation = simulationOf(scenario);
      const expected = await runUndisturbed(simulation);
      expect(expected.requestsAtRest).toBe(0);
      const { schedules, failures } = await explore(simulation, { ...chaos, seeds, expected });
      expect(failures.map(failureInWords).join('\n\n')).toBe('');
      expect(schedules).toBe(seeds.length);
    },
  );
});
