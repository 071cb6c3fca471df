import { describe, expect, it } from 'vitest';
import type { Outcomes } from '#lib/desired/observation.ts';
import { noOutcomes } from '#lib/desired/observe/create-observation.ts';
import { isSameOutcome, trackOutcomes } from '#lib/loop/pass/asked-outcomes.ts';

const outcomesOf = (state: 'running' | 'none'): Outcomes => ({ http: () => ({ state }), dryRun: () => ({ state }) });

describe('trackOutcomes()', () => {
  it('trackOutcomes() records the questions of a function and their answers, also while there is no outcome at all', () => {
    const { outcomes, asked } = trackOutcomes(noOutcomes);
    outcomes.http('gate');
    outcomes.dryRun('pod');
    expect(asked).toEqual([
      { effect: 'http', key: 'gate', told: { state: 'none' } },
      { effect: 'dryRun', key: 'pod', told: { state: 'none' } },
    ]);
  });

  it('isSameOutcome() distinguishes a first outcome from none', () => {
    const { outcomes, asked } = trackOutcomes(noOutcomes);
    outcomes.http('gate');
    expect(asked.map((outcome) => isSameOutcome(outcome, noOutcomes))).toEqual([true]);
    expect(asked.map((outcome) => isSameOutcome(outcome, outcomesOf('running')))).toEqual([false]);
  });
});
