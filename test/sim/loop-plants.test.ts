import { afterEach, describe, expect, it, vi } from 'vitest';
import { simulationOf } from '#lib/sim/cluster.ts';
import { runSeed, seedsFrom } from '#lib/sim/explore/explore.ts';
import { runUndisturbed } from '#lib/sim/explore/run.ts';
import {
  acceptsOlderVersions,
  asleepAtDeletions,
  blindAfterConflicts,
  withForeignEffects,
  withoutDeletions,
  withoutDoubts,
  withoutRetries,
} from './loop-plants.ts';
import { caseNamed } from './scenarios/all.ts';

const NEVER_IDLE = 'error The cluster does not become idle';
const NEVER_PERFORMED = 'invariant what is counted was performed';

/** The first seed, from 1, whose schedule shows the bug. docs/simulate.md has the same numbers. */
const bugs = [
  { plant: acceptsOlderVersions, scenario: 'podset-kill', seed: 21, sort: 'outcome' },
  { plant: blindAfterConflicts, scenario: 'extension-unlabelled', seed: 2, sort: 'outcome' },
  { plant: withoutDoubts, scenario: 'stamp-create', seed: 3, sort: 'invariant at most one child' },
  { plant: withForeignEffects, scenario: 'bell-recreate', seed: 2, sort: NEVER_PERFORMED },
  { plant: withoutRetries, scenario: 'extension-unlabelled', seed: 7, sort: 'outcome' },
  { plant: withoutDeletions, scenario: 'podset-delete-while-creating', seed: 136, sort: NEVER_IDLE },
  { plant: asleepAtDeletions, scenario: 'immortal-kill', seed: 14, sort: 'outcome' },
];

describe('runSeed()', () => {
  afterEach(() => vi.restoreAllMocks());

  it.for(bugs)(
    'runSeed() first finds the bug $plant.name in $scenario with seed $seed, and no failure without it',
    async (bug) => {
      const { scenario, chaos } = caseNamed(bug.scenario) ?? {};
      if (scenario === undefined) throw new Error(`no scenario "${bug.scenario}"`);
      const options = { ...chaos, expected: await runUndisturbed(simulationOf(scenario)) };
      expect((await runSeed(simulationOf(scenario), bug.seed, options)).problem).toBeUndefined();
      const planted = simulationOf(bug.plant(scenario));
      for (const seed of seedsFrom(1, bug.seed - 1))
        expect((await runSeed(planted, seed, options)).problem).toBeUndefined();
      const { problem } = await runSeed(planted, bug.seed, options);
      expect(problem?.sort).toBe(bug.sort);
    },
  );
});
