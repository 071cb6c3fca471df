import { afterEach, describe, expect, it, vi } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ownerLabels } from '#lib/desired/marks/names.ts';
import type { Children } from '#lib/desired/observation.ts';
import { ControllerRevision } from '#lib/kind/handles/reference.ts';
import { ObjectCache } from '#lib/loop/cache/cache.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';
import { startManager } from '#lib/loop/manager/manager.ts';
import { simulationOf } from '#lib/sim/cluster.ts';
import { explore, seedsFrom } from '#lib/sim/explore/explore.ts';
import { type Failure, failureInWords } from '#lib/sim/explore/failure.ts';
import { runUndisturbed } from '#lib/sim/explore/run.ts';
import type { Scenario } from '#lib/sim/world/scenario/scenario.ts';
import { type Plant, startedWith } from './loop-plants.ts';
import { caseNamed } from './scenarios/all.ts';

const SEEDS = 400;
const SHRINK_RUNS = 200;

/** Explores a scenario with a bug until a schedule fails. The scenario without the bug determines the correct outcome. */
const findBug = async (name: string, plant: Plant, from = 1): Promise<Failure> => {
  const found = caseNamed(name);
  if (found === undefined) throw new Error(`no scenario "${name}"`);
  const expected = await runUndisturbed(simulationOf(found.scenario));
  const options = { ...found.chaos, seeds: seedsFrom(from, SEEDS), expected, maxShrinkRuns: SHRINK_RUNS };
  const { failures } = await explore(simulationOf(plant(found.scenario)), options);
  const [failure] = failures;
  if (failure === undefined) throw new Error(`${SEEDS} seeds did not find it`);
  return failure;
};

/** Either precondition would be sufficient to detect another pod. */
const withoutPreconditions = startedWith((api) => ({
  ...api,
  delete: async (resource, target, { uid: _uid, resourceVersion: _version, ...rest }) =>
    api.delete(resource, target, rest as never),
}));

/** The first list of pods is empty; the watch brings the rest later. */
const unsynced = startedWith(
  (api) => ({
    ...api,
    list: async (resource, options) =>
      resource.plural === 'pods' ? { items: [], resourceVersion: '0' } : api.list(resource, options),
  }),
  { watchLists: false },
);

/** A loop without the check that refuses impure functions. */
const unchecked: NonNullable<Scenario['start']> = (options) => startManager({ ...options, checksFunctions: false });

const withoutHistory = (objects: Children): Children => ({
  of: (kind) => (kind.kind === ControllerRevision.kind ? [] : objects.of(kind)),
});

/** The counter starts anew in every run, since a run is a function of its seed. */
const randomNames: Plant = (scenario) => {
  let count = 0;
  const desired: AnyKindDefinition['desired'] = (seen) => {
    const { children: pods, orphans } = seen as Parameters<typeof podSet.desired>[0];
    const classic = { ...seen, children: withoutHistory(pods), orphans: withoutHistory(orphans) };
    const wanted = podSet.desired(classic);
    const children = wanted.children.map((child) => {
      if (child.verb !== 'apply') return child;
      count += 1;
      const name = `web-${(count * 7919).toString(36)}`;
      return { ...child, object: { ...child.object, metadata: { ...child.object.metadata, name } } };
    });
    return { ...wanted, children };
  };
  const invariants = (): ReturnType<NonNullable<Scenario['invariants']>> => {
    count = 0;
    return scenario.invariants?.() ?? [];
  };
  return { ...scenario, invariants, kinds: [{ ...podSet, owns: podSet.owns.slice(0, 1), desired }], start: unchecked };
};

const byLabel: Plant = (scenario) => {
  vi.spyOn(ObjectCache.prototype, 'ownedBy').mockImplementation(function (this: ObjectCache, namespace) {
    const [[label, value]] = Object.entries(ownerLabels(podSet, 'web')) as [[string, string]];
    const isOurs = ({ metadata }: CachedObject) =>
      metadata.namespace === namespace && metadata.labels?.[label] === value;
    return [...this.all()].filter(isOurs).toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  });
  return scenario;
};

const forgetful: Plant = (scenario) => {
  vi.spyOn(ObjectCache.prototype, 'overlay').mockReturnValue(undefined);
  vi.spyOn(ObjectCache.prototype, 'overlayGone').mockReturnValue(undefined);
  return scenario;
};

/**
 * Bugs, and the scenarios that find them. `from` is the first seed: near the seed that finds the bug, so that the test is
 * short.
 */
const bugs = [
  {
    bug: 'deletes without uid and version as preconditions',
    scenario: 'podset-replaced-pod',
    plant: withoutPreconditions,
    sort: /^invariant pods of other owners are left alone$/,
    steps: 8,
  },
  {
    bug: 'children counted by label instead of owner',
    scenario: 'podset-look-alike',
    plant: byLabel,
    sort: /^invariant pods of other owners are left alone$|^outcome$/,
    steps: 2,
  },
  {
    bug: 'random names for pods',
    scenario: 'podset-create',
    plant: randomNames,
    sort: /^invariant never more pods than asked for$/,
    steps: 6,
    from: 100,
  },
  {
    bug: 'own writes forgotten until the watch shows them',
    // When only creates are forgotten, the loop waits until the watch shows them: the bug also needs a deletion.
    scenario: 'podset-kill',
    plant: forgetful,
    sort: /^invariant never more pods than asked for$/,
    steps: 8,
  },
  {
    bug: 'work before the caches are filled',
    scenario: 'podset-kill',
    plant: unsynced,
    sort: /^invariant never more pods than asked for$|^outcome$/,
    steps: 8,
  },
];

describe('explore()', () => {
  afterEach(() => vi.restoreAllMocks());

  it.for(bugs)('explore() finds $bug, and shrinks what leads to it', async ({ scenario, plant, sort, steps, from }) => {
    const failure = await findBug(scenario, plant, from);
    const words = failureInWords(failure);
    expect(failure.problem.sort).toMatch(sort);
    expect(failure.schedule.length).toBeLessThanOrEqual(steps);
    expect(words).toContain(`scenario "${scenario}", seed ${failure.seed}`);
    expect(words).toContain(`disturbanceOf(schedule), { seed: ${failure.seed}, `);
    expect(words).not.toContain('npm run');
    for (const { label } of failure.trace.filter(({ nature }) => nature === 'fault')) expect(words).toContain(label);
  });
});
