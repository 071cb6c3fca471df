import { explore, failureInWords, search, seedsFrom, simulationOf } from 'cdk8s-reconcile/testing';
import { describe, expect, it } from 'vitest';
import { scenario } from '#test/examples/runner-simulation.ts';
import { runs } from '#test/properties.ts';

describe('a kind from outside, through the public doors', () => {
  it('explore() finds nothing wrong with the kind of the README when it is simulated under random schedules', async () => {
    const { schedules, failures } = await explore(simulationOf(scenario), { seeds: seedsFrom(1, runs(25)) });
    expect(failures.map(failureInWords)).toEqual([]);
    expect(schedules).toBe(runs(25));
  });

  it('explore() shows a broken promise as a schedule when the invariant is too strict', async () => {
    const noPod = {
      name: 'no pod',
      check: (view: { objects: (of: { group: string; plural: string }) => readonly unknown[] }) =>
        view.objects({ group: '', plural: 'pods' }).length > 0 ? 'a pod' : undefined,
    };
    const strict = simulationOf({ ...scenario, invariants: () => [noPod] });
    await expect(explore(strict, { seeds: [1] })).rejects.toThrow(
      /even undisturbed, no pod: a pod .*scenario "runner"/,
    );
    await expect(search(strict)).rejects.toThrow(/no pod: a pod/);
  });
});
