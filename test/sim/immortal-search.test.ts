import { describe, expect, it } from 'vitest';
import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { startManager } from '#lib/loop/manager/manager.ts';
import { simulationOf } from '#lib/sim/cluster.ts';
import { explore, seedsFrom } from '#lib/sim/explore/explore.ts';
import { failureInWords } from '#lib/sim/explore/failure.ts';
import { runUndisturbed } from '#lib/sim/explore/run.ts';
import { search } from '#lib/sim/explore/search.ts';
import type { Scenario } from '#lib/sim/world/scenario/scenario.ts';
import { impatient, ruthless } from './immortal-model/broken.ts';
import { immortalCases } from './scenarios/immortal/cases.ts';
import { neverTwoLive, startsAreCounted } from './scenarios/immortal/invariants.ts';
import { immortalsAtRest } from './scenarios/immortal/outcome.ts';
import { createImmortal, killImmortalPod } from './scenarios/immortal/script.ts';

/** The kind without its watch of nodes: they do not matter in these tests, and each watch multiplies the number of states. */
const withoutNodes: AnyKindDefinition = { ...immortalContainer, reads: [Pod] };

const small: Scenario = {
  name: 'immortal-search',
  kinds: [withoutNodes],
  actors: () => [],
  script: [createImmortal()],
  invariants: () => [neverTwoLive(), startsAreCounted()],
  outcome: immortalsAtRest,
};

/** The user may delete the pod before it exists. The number of failures then stays 0, so it is not compared. */
const killed: Scenario = {
  ...small,
  script: [createImmortal(), killImmortalPod('first')],
  outcome: (view) =>
    JSON.parse(
      JSON.stringify(immortalsAtRest(view), (key, value: unknown) => (key === 'failures' ? undefined : value)),
    ),
};

/** Number of states of a search that cannot be exhaustive; a soak goes farther. */
const STATES = process.env['SOAK'] === undefined ? 100 : 20_000;

describe('an ImmortalContainer in every order of events', () => {
  it('never has more than one live pod, and counts every start, as far as the search goes', async () => {
    const report = await search(simulationOf(small), { budget: { time: 0 }, maxStates: STATES });
    expect(report.failure && failureInWords(report.failure)).toBeUndefined();
    expect(report.isExhausted || report.states === STATES).toBe(true);
  });

  it.each(['crash', 'request lost', 'answer lost', 'watch cut'] as const)(
    'does so when its pod is deleted, with one "%s", as far as the search goes',
    async (fault) => {
      const report = await search(simulationOf(killed), { budget: { time: 1, [fault]: 1 }, maxStates: STATES });
      expect(report.failure && failureInWords(report.failure)).toBeUndefined();
      expect(report.isExhausted || report.states === STATES).toBe(true);
    },
  );
});

describe('explore()', () => {
  it.each([
    { bug: 'starts the next pod while the last is stopping', desired: impatient, scenario: 'immortal-kill', from: 100 },
    { bug: 'deletes by force on a node that may be alive', desired: ruthless, scenario: 'immortal-force', from: 15 },
  ])('explore() finds a kind that $bug, and shows the way there', async ({ desired, scenario, from }) => {
    const found = immortalCases.find((one) => one.scenario.name === scenario);
    if (found === undefined) throw new Error(`no scenario ${scenario}`);
    const expected = await runUndisturbed(simulationOf(found.scenario));
    const broken: Scenario = {
      ...found.scenario,
      kinds: [{ ...immortalContainer, desired }],
      invariants: () => [neverTwoLive()],
      start: (options) => startManager({ ...options, checksFunctions: false }),
    };
    const { failures } = await explore(simulationOf(broken), {
      ...found.chaos,
      seeds: seedsFrom(from, 200),
      expected,
      maxShrinkRuns: 30,
    });
    const [failure] = failures;
    expect(failure?.problem.sort).toBe('invariant never more than one live pod');
    expect(failure && failureInWords(failure)).toContain('create pods default/web');
  });
});
