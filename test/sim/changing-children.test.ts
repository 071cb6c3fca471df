import { describe, expect, it } from 'vitest';
import { simulationOf } from '#lib/sim/cluster.ts';
import { explore, seedsFrom } from '#lib/sim/explore/explore.ts';
import { failureInWords } from '#lib/sim/explore/failure.ts';
import { runUndisturbed } from '#lib/sim/explore/run.ts';
import { siteCases } from './scenarios/site.ts';

const SEEDS = process.env['SOAK'] === undefined ? 10 : 500;

describe('a kind with changing children and a finalizer under any schedule', () => {
  it.for(siteCases.map((it) => [it.scenario.name, it] as const))(
    '%s ends as if nothing had gone wrong, and then stays quiet',
    async ([, { scenario, chaos }]) => {
      const { schedules, failures } = await explore(simulationOf(scenario), { ...chaos, seeds: seedsFrom(1, SEEDS) });
      expect(failures.map(failureInWords).join('\n\n')).toBe('');
      expect(schedules).toBe(SEEDS);
    },
  );

  it('no scenario sends a request at rest when nothing goes wrong', async () => {
    for (const { scenario } of siteCases) {
      const { requestsAtRest } = await runUndisturbed(simulationOf(scenario));
      expect([scenario.name, requestsAtRest]).toEqual([scenario.name, 0]);
    }
  });
});
