import { describe, expect, it } from 'vitest';
import { simulationOf } from '#lib/sim/cluster.ts';
import { explore, runSeed } from '#lib/sim/explore/explore.ts';
import { failureInWords } from '#lib/sim/explore/failure.ts';
import { runUndisturbed } from '#lib/sim/explore/run.ts';
import { podSetCases } from './scenarios/pod-set.ts';

/** Random schedules, of all scenarios together. */
const SCHEDULES = process.env['SOAK'] === undefined ? 300 : 10_000;

/** Seeds are dealt out: each scenario has its own. */
const seedsOf = (index: number): number[] =>
  Array.from({ length: SCHEDULES }, (_, seed) => seed + 1).filter((seed) => seed % podSetCases.length === index);

describe('PodSet under any schedule', () => {
  it.for(podSetCases.map((it, index) => [it.scenario.name, index, it] as const))(
    '%s ends as if nothing had gone wrong, and then stays quiet',
    async ([, index, { scenario, chaos, calm }]) => {
      const seeds = seedsOf(index);
      const { schedules, failures } = await explore(simulationOf(scenario, calm && { calm }), { ...chaos, seeds });
      expect(failures.map(failureInWords).join('\n\n')).toBe('');
      expect(schedules).toBe(seeds.length);
    },
  );

  it('every scenario has seeds, and no seed is run twice', () => {
    const seeds = podSetCases.map((_, index) => seedsOf(index));
    expect(Math.min(...seeds.map(({ length }) => length))).toBeGreaterThanOrEqual(15);
    expect(seeds.flat().toSorted((a, b) => a - b)).toEqual(Array.from({ length: SCHEDULES }, (_, seed) => seed + 1));
  });

  it('no scenario sends a request at rest when nothing goes wrong', async () => {
    for (const { scenario, calm } of podSetCases) {
      const { requestsAtRest } = await runUndisturbed(simulationOf(scenario, calm && { calm }));
      expect([scenario.name, requestsAtRest]).toEqual([scenario.name, 0]);
    }
  });

  it('misfortunes of every class, and people, do come about in these schedules', async () => {
    const seen = new Set<string>();
    for (const [index, { scenario, chaos, calm }] of podSetCases.entries()) {
      const simulation = simulationOf(scenario, calm && { calm });
      const expected = await runUndisturbed(simulation);
      // Kubelets have their turn rarely: in this one they do.
      const known = scenario.name === 'podset-taken-name' ? [163] : [];
      for (const seed of [...seedsOf(index).slice(0, 8), ...known]) {
        const { trace } = await runSeed(simulation, seed, { ...chaos, expected });
        for (const { nature, label } of trace) if (nature === 'fault') seen.add(label.slice(0, label.indexOf(':')));
      }
    }
    expect([...seen]).toEqual(
      expect.arrayContaining([
        'request lost',
        'answer lost',
        'answer 500',
        'answer 409',
        'watch cut',
        'watch expired',
        'watch silent',
        'crash',
        'clock 1h back',
        'kubelet',
      ]),
    );
  });
});
