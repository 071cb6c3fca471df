import { describe, expect, it } from 'vitest';
import { explore } from '#lib/sim/explore/explore.ts';
import { runUndisturbed } from '#lib/sim/explore/run.ts';
import { casesNow } from '#test/cases.ts';
import { failureHere } from './failure-here.ts';
import { type Case, simulationIn } from './scenarios/case.ts';

/** Options of the random schedules of a kind. */
interface Schedules {
  readonly schedules: number;
  /** The number of schedules with `SOAK` set. @default 10_000 */
  readonly soak?: number;
}

/** The seeds of the schedules in this run. */
export const seedsNow = ({ schedules, soak = 10_000 }: Schedules): number[] => {
  const { first, count } = casesNow({ usual: schedules, soak });
  return Array.from({ length: count }, (_, index) => first + index);
};

/** The seeds of one scenario: all seeds are distributed to the scenarios. */
export const seedsOf = (index: number, scenarios: number, seeds: readonly number[]): number[] =>
  seeds.filter((seed) => seed % scenarios === index);

/**
 * Tests that every scenario of a kind reaches its outcome under its share of the schedules, and that no request is sent at
 * rest.
 */
export const underAnySchedule = (kind: string, cases: readonly Case[], counts: Schedules): void => {
  const all = seedsNow(counts);
  describe(`${kind} under any schedule`, () => {
    it.for(cases.map((it, index) => [it.scenario.name, index, it] as const))(
      '%s ends as if nothing had gone wrong, and then stays quiet',
      async ([name, index, it]) => {
        const simulation = simulationIn(it);
        const expected = await runUndisturbed(simulation);
        expect([name, expected.requestsAtRest]).toEqual([name, 0]);
        const seeds = seedsOf(index, cases.length, all);
        const { schedules, failures } = await explore(simulation, { ...it.chaos, seeds, expected });
        expect(failures.map(failureHere).join('\n\n')).toBe('');
        expect(schedules).toBe(seeds.length);
      },
    );
  });
};
