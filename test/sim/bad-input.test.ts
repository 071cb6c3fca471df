import { describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { SimulationError } from '#lib/errors.ts';
import { startManager } from '#lib/loop/manager/manager.ts';
import { simulationOf } from '#lib/sim/cluster.ts';
import { explore, runSeed, seedsFrom } from '#lib/sim/explore/explore.ts';
import { disturbanceOf } from '#lib/sim/explore/failure.ts';
import { runDisturbed, runUndisturbed } from '#lib/sim/explore/run.ts';
import type { Schedule } from '#lib/sim/explore/schedule.ts';
import { search } from '#lib/sim/explore/search.ts';
import type { Scenario } from '#lib/sim/world/scenario/scenario.ts';
import { setsAtRest } from './scenarios/outcome.ts';
import { createSet, scaleSet } from './scenarios/script.ts';

const throwing = (what: string) => (): never => {
  throw new TypeError(what);
};

const scenarioWith = (more: Partial<Scenario> = {}): Scenario => ({
  name: 'bad-input',
  kinds: [podSet],
  script: [createSet('web', 1)],
  outcome: setsAtRest,
  ...more,
});

const kindWith = (desired: AnyKindDefinition['desired']): AnyKindDefinition => ({ ...podSet, desired });

/** The error of a strict replay of a schedule. */
const complaint = async (schedule: Schedule): Promise<string | undefined> => {
  const simulation = simulationOf(scenarioWith());
  const expected = await runUndisturbed(simulation);
  const disturb = disturbanceOf(schedule, { isStrict: true });
  return (await runDisturbed(simulation, disturb, { seed: 3, expected })).problem?.message;
};

describe('a schedule', () => {
  it('that names an unknown actor is an error with seed, step, and what is possible', async () => {
    const message = await complaint(['operator-1 starts', 'ghost controller: haunt default/web']);
    expect(message).toContain('Entry 2 of the schedule, "ghost controller: haunt default/web", cannot happen');
    expect(message).toContain('(scenario "bad-input", seed 3, step 1)');
    expect(message).toContain('possible are: operator-1 → watch podsets');
  });

  it('in which time goes back is an error with seed and step', async () => {
    const message = await complaint(['time passes to +5s', 'operator-1 starts', 'time passes to +4.999s']);
    expect(message).toContain('Time cannot go back: it is +5000 ms, and +4999 ms was requested');
    expect(message).toContain('seed 3, step 3');
  });

  it('is followed where it can be, when it is not strict', async () => {
    const simulation = simulationOf(scenarioWith());
    const expected = await runUndisturbed(simulation);
    const disturb = disturbanceOf([
      'nobody does this',
      'operator-1 starts',
      'time passes to +2.5s',
      '… answer 500: nobody',
    ]);
    const { problem, trace } = await runDisturbed(simulation, disturb, { seed: 3, expected });
    expect(problem).toBeUndefined();
    expect(trace.slice(0, 2).map(({ label, atMs }) => [label, atMs])).toEqual([
      ['operator-1 starts', 0],
      ['time passes to +2.5s', 2500],
    ]);
  });
});

describe('a scenario', () => {
  it('whose function never returns is an error with seed and step, and no hang', async () => {
    const endless = kindWith(() => {
      for (;;);
    });
    const running = runUndisturbed(simulationOf(scenarioWith({ kinds: [endless] })));
    await expect(running).rejects.toThrow(SimulationError);
    await expect(running).rejects.toThrow(/desired\(\) of PodSet for default\/web did not return .*seed 0, step \d+/);
  });

  it('whose operator goes round and round without waiting for anything is an error with seed and step, and no hang', async () => {
    const spin = (): void => queueMicrotask(spin);
    const start: Scenario['start'] = (options) => {
      queueMicrotask(spin);
      return startManager(options);
    };
    const running = runUndisturbed(simulationOf(scenarioWith({ start })));
    await expect(running).rejects.toThrow(/What "operator-1 starts" set off did not end .*seed 0, step 1\b/);
  });

  it('whose property throws is an error with seed and step that names it', async () => {
    const check = throwing('no such member');
    const running = runUndisturbed(simulationOf(scenarioWith({ invariants: () => [{ name: 'mine', check }] })));
    await expect(running).rejects.toThrow(/invariant "mine" threw: no such member .*seed 0, step 1\b/);
  });

  it('whose outcome cannot be determined is an error with seed and step', async () => {
    const outcome = throwing('no such pod');
    const running = runUndisturbed(simulationOf(scenarioWith({ outcome })));
    await expect(running).rejects.toThrow(/the outcome cannot be computed: no such pod .*seed 0, step \d+/);
  });

  it('that never rests is an error with the last steps', async () => {
    const restless = kindWith((seen) => {
      const { status, ...rest } = podSet.desired(seen);
      // The function reads the status of its last pass, and always returns another one.
      const { replicas = 0 } = { ...seen.resource.status } as { readonly replicas?: number };
      return { ...rest, status: { ...status, replicas: replicas + 1 } };
    });
    const running = runUndisturbed(simulationOf(scenarioWith({ kinds: [restless] })));
    await expect(running).rejects.toThrow(
      /The cluster does not become idle.*seed 0, step \d+.*the last steps:\n.*patch/s,
    );
  });

  it('whose script is refused is an error that says what was asked', async () => {
    const running = runUndisturbed(simulationOf(scenarioWith({ script: [scaleSet('absent', 2)] })));
    await expect(running).rejects.toThrow(/"user scales set absent to 2" failed: .*404 NotFound.*seed 0/);
  });

  it('with a kind whose definition is refused is an error before the first step', async () => {
    const nameless = { ...podSet, kind: 'pod set' } as AnyKindDefinition;
    await expect(runUndisturbed(simulationOf(scenarioWith({ kinds: [nameless] })))).rejects.toThrow('pod set');
  });

  it('that is broken without any disturbance is not explored', async () => {
    const invariant = { name: 'no pods', check: () => 'there are some' };
    const simulation = simulationOf(scenarioWith({ invariants: () => [invariant] }));
    await expect(explore(simulation, { seeds: seedsFrom(1, 5) })).rejects.toThrow(
      'even undisturbed, no pods: there are some',
    );
  });

  it('that goes wrong in one run only is a failure of that seed, and no error', async () => {
    const simulation = simulationOf(scenarioWith());
    const expected = { ...(await runUndisturbed(simulation)), outcome: '"another"' };
    expect((await runSeed(simulation, 1, { expected })).problem?.sort).toBe('outcome');
  });
});

describe('search()', () => {
  it('search() refuses clocks that are set, by name', async () => {
    const searching = search(simulationOf(scenarioWith()), { budget: { 'clock jump': 1 } });
    await expect(searching).rejects.toThrow('Cannot search with clocks that are set');
  });
});
