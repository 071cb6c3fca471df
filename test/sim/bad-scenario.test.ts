import { apply, defineKind, Pod, ready, s } from 'cdk8s-reconcile';
import { explore, runUndisturbed, type Scenario, search, seedsFrom, simulationOf } from 'cdk8s-reconcile/testing';
import { describe, expect, it } from 'vitest';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { startManager } from '#lib/loop/manager/manager.ts';
import { scenario as runnerScenario } from '#test/examples/runner-simulation.ts';

/** A scenario with values that its type forbids: JavaScript callers can pass them. */
const scenarioWith = (more: object): Scenario => ({ ...runnerScenario, ...more });

const complaint = async (more: object): Promise<string> =>
  runUndisturbed(simulationOf(scenarioWith(more))).then(
    () => 'nothing is wrong',
    (error: unknown) => (error as Error).message,
  );

const [runner] = runnerScenario.kinds as [AnyKindDefinition];
const kindWith = (desired: unknown): object => ({ kinds: [{ ...runner, desired }] });
const scriptWith = (run: () => unknown): object => ({ script: [{ label: 'mine', run }] });
const invariantWith = (check: () => unknown): object => ({ invariants: () => [{ name: 'mine', check }] });
const actorWith = (steps: () => unknown): object => ({ actors: () => [{ name: 'mine', steps }] });
const endless = (): never => {
  for (;;);
};
const throwing = (what: unknown) => (): never => {
  throw what;
};
const unchecked: Scenario['start'] = (options) => startManager({ ...options, checksFunctions: false });
const later = async (): Promise<never> => Promise.reject(new Error('later'));

describe('an invalid scenario', () => {
  it.for<readonly [string, object, RegExp]>([
    ['no operator', { operators: 0 }, /operators is 0; it must be an integer, 1 or more/],
    ['half an operator', { operators: 1.5 }, /operators is 1\.5;/],
    ['no kinds', { kinds: [] }, /kinds is \[\]; it must be a list of one definition at least/],
    ['a kind twice', { kinds: [runner, runner] }, /kinds names runners\.demo\.example\.com twice.*seed 0, step 1/],
    ['no script', { script: undefined }, /script is undefined; it must be a list of steps/],
    ['a step without a label', { script: [{ run: () => undefined }] }, /script is .*each with a label and run\(\)/],
    ['a list of invariants', { invariants: [] }, /invariants is \[\]; it must be a function/],
    [
      'an outside without answers',
      { http: { allowedHosts: [] } },
      /http is .*; it must be an object with a list of texts/,
    ],
    ['no outcome', { outcome: undefined }, /outcome is undefined; it must be a function/],
    ['a script that throws null', scriptWith(throwing(null)), /"mine" failed: null .*seed 0, step \d+/],
    ['an asynchronous script', scriptWith(later), /"mine" failed: it returned a promise.*seed 0, step \d+/],
    [
      'an asynchronous invariant',
      invariantWith(later),
      /invariant "mine" threw: it returned a promise.*seed 0, step 1/,
    ],
    [
      'an invariant that says true',
      invariantWith(() => true),
      /invariant "mine" gave a boolean; it must return.*seed 0/,
    ],
    ['an asynchronous outcome', { outcome: later }, /the outcome cannot be computed: it returned a promise.*seed 0/],
    [
      'an outcome that is no JSON',
      { outcome: () => new Map() },
      /the outcome cannot be computed: it is no JSON.*seed 0/,
    ],
    ['an outcome that says nothing', { outcome: () => undefined }, /the outcome cannot be computed: it is no JSON/],
    ['an actor that throws', actorWith(throwing(new Error('lost'))), /steps\(\) of actor "mine" threw: lost .*seed 0/],
    [
      'an actor without steps',
      actorWith(() => undefined),
      /steps\(\) of actor "mine" returned an invalid list of steps/,
    ],
    [
      'a function that throws',
      kindWith(throwing('no')),
      /desired\(\) of Runner failed for default\/hello: no .*seed 0/,
    ],
    [
      'a function that gives nonsense',
      kindWith(() => 42),
      /desired\(\) of Runner failed .*value: 42.*seed 0, step \d+/s,
    ],
    ['an asynchronous function', kindWith(later), /desired\(\) of Runner failed for default\/hello: .*promise/s],
  ])('with %s is an error that says what is wrong', async ([, more, words]) => {
    expect(await complaint(more)).toMatch(words);
  });

  it.for<readonly [string, object, RegExp]>([
    ['a script', scriptWith(endless), /the script's "mine" did not return within 4000 ms .*seed 0, step \d+/],
    ['an invariant', invariantWith(endless), /invariant "mine" did not return within 4000 ms .*seed 0, step 1/],
    ['an outcome', { outcome: endless }, /the outcome cannot be computed: it did not return within 4000 ms .*seed 0/],
    ['an actor', actorWith(endless), /steps\(\) of actor "mine" did not return within 4000 ms .*seed 0, step 1/],
  ])('with %s that never returns is an error, and no hang', async ([, more, words]) => {
    expect(await complaint(more)).toMatch(words);
  });

  it('whose kind counts its calls is an error that shows where two runs differ', async () => {
    let calls = 0;
    const counting = defineKind({
      ...runner,
      spec: s.object({ image: s.string({ maxLength: 64, description: 'What to run.' }) }),
      owns: [Pod],
      desired: () => {
        calls += 1;
        const spec = { containers: [{ name: 'main', image: `busybox:${calls}` }] };
        return {
          children: calls > 1 ? [] : [apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'one' }, spec })],
          status: { podName: 'some' },
          state: ready('Some', 'some'),
        };
      },
    });
    expect(await complaint({ kinds: [counting], start: unchecked })).toMatch(/Two undisturbed runs differ .*seed 0/);
  });
});

describe('options that make no sense', () => {
  const simulation = simulationOf(runnerScenario);

  it.for<readonly [string, object, RegExp]>([
    ['no seeds', { seeds: [] }, /there are no seeds/],
    ['a seed that is no integer', { seeds: [1.5] }, /Cannot run seed 1\.5: a seed is an integer/],
    ['no steps', { seeds: [1], steps: 0 }, /steps is 0; it must be an integer, 1 or more/],
    ['fewer faults than none', { seeds: [1], faults: -1 }, /faults is -1; it must be an integer, 0 or more/],
    [
      'an unknown class',
      { seeds: [1], weights: { crsh: 1 } },
      /there is no class "crsh"; the classes are request lost/,
    ],
    ['a weight that is no number', { seeds: [1], weights: { crash: Number.NaN } }, /crash is NaN; it must be a number/],
  ])('explore() refuses %s', async ([, options, words]) => {
    await expect(explore(simulation, options as never)).rejects.toThrow(words);
  });

  it('search() refuses a negative budget and an unknown class', async () => {
    await expect(search(simulation, { budget: { crash: -1 } })).rejects.toThrow('crash is -1');
    await expect(search(simulation, { budget: { crsh: 1 } as never })).rejects.toThrow('there is no class "crsh"');
  });

  it('seedsFrom() refuses fewer seeds than one', () => {
    expect(() => seedsFrom(1, 0)).toThrow('count is 0; it must be an integer, 1 or more');
  });
});
