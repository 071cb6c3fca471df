import { describe, expect, it } from 'vitest';
import { createClusterServer, simulationOf } from '#lib/sim/cluster.ts';
import { explore, seedsFrom } from '#lib/sim/explore/explore.ts';
import { failureInWords } from '#lib/sim/explore/failure.ts';
import { runUndisturbed } from '#lib/sim/explore/run.ts';
import { search } from '#lib/sim/explore/search.ts';
import { CalmOrder, runCalmly } from '#lib/sim/world/calm.ts';
import type { Scenario } from '#lib/sim/world/scenario/scenario.ts';
import type { WorldStep } from '#lib/sim/world/step/step.ts';
import { World } from '#lib/sim/world/world.ts';
import { bellCases, bellIn, effectOf, performed, ringAndLeave, ringTwice } from './scenarios/bell.ts';

const isSoak = process.env['SOAK'] !== undefined;
const SEEDS = isSoak ? 2000 : 40;
const STATES = isSoak ? 20_000 : 600;

const worldOf = (scenario: Scenario): World => new World({ scenario, seed: 1, createServer: createClusterServer });

/** Runs a calm world until a condition is true. */
const until = async (world: World, isSo: () => boolean): Promise<void> => {
  const order = new CalmOrder(world);
  for (let step = order.next(); step !== undefined && !isSo(); step = order.next()) await world.take(step);
  expect(isSo()).toBe(true);
};

const isPost = ({ label }: WorldStep): boolean => label.includes(' → POST ');

const sent = ({ view }: World): readonly string[] => view.exchanges.map(effectOf);

describe('effects in the virtual cluster', () => {
  it.for(bellCases.map((it) => [it.scenario.name, it] as const))(
    '%s: every effect is performed at least once, under one key, and never again once it is counted',
    async ([, { scenario, chaos }]) => {
      const { schedules, failures } = await explore(simulationOf(scenario), { ...chaos, seeds: seedsFrom(1, SEEDS) });
      expect(failures.map(failureInWords).join('\n\n')).toBe('');
      expect(schedules).toBe(SEEDS);
    },
  );

  it('each is performed once, and nothing is sent at rest, when nothing goes wrong', async () => {
    const world = worldOf(ringAndLeave);
    await until(world, () => bellIn(world.view)?.status?.rung === 1);
    const { requestsAtRest } = await runCalmly(world);
    expect([requestsAtRest, bellIn(world.view)]).toEqual([0, undefined]);
    expect([...performed(world.view)]).toEqual([
      ['ring-1', 1],
      ['goodbye-1', 1],
    ]);
    expect((await runUndisturbed(simulationOf(ringTwice))).requestsAtRest).toBe(0);
  });

  it('an operator that crashes between performance and record performs it again, under the same key', async () => {
    const world = worldOf(ringTwice);
    await until(world, () => performed(world.view).has('ring-1'));
    await world.take('crash: operator-1');
    await runCalmly(world);
    expect(sent(world)).toEqual(['ring-1', 'ring-1', 'ring-2']);
    expect(new Set(world.view.exchanges.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2);
    expect(bellIn(world.view)?.status).toMatchObject({ rung: 2 });
  });

  it('a request of a crashed operator and an equal request of the next operator have different labels', async () => {
    const world = worldOf(ringTwice);
    await until(world, () => sent(world).includes('ring-1'));
    await world.take('crash: operator-1');
    const posts = (): readonly WorldStep[] => world.enabled().filter(isPost);
    const other = (): WorldStep | undefined =>
      world.enabled().find((step) => step.nature === 'progress' && !isPost(step));
    for (let step = other(); step !== undefined && posts().length < 2; step = other()) await world.take(step);
    expect(posts().map(({ label }) => label.split(' → ', 1)[0])).toEqual(['operator-1(crashed)', 'operator-1']);
  });

  it('an operator that crashes after the record does not perform it again', async () => {
    const world = worldOf(ringTwice);
    await until(world, () => bellIn(world.view)?.status?.rung === 1);
    const before = sent(world);
    await world.take('crash: operator-1');
    await runCalmly(world);
    expect(before.filter((key) => key === 'ring-1')).toEqual(['ring-1']);
    expect(sent(world).filter((key) => key === 'ring-1')).toEqual(['ring-1']);
  });

  it('a farewell is said before a resource is let go, also when the operator crashes on the way', async () => {
    const world = worldOf(ringAndLeave);
    await until(world, () => performed(world.view).has('goodbye-1'));
    expect(bellIn(world.view)?.metadata.deletionTimestamp).toBeDefined();
    await world.take('crash: operator-1');
    await runCalmly(world);
    expect(bellIn(world.view)).toBeUndefined();
    expect(performed(world.view).get('goodbye-1')).toBe(2);
  });

  it('holds on every way through one crash and one fault of HTTP', async () => {
    const report = await search(simulationOf(ringAndLeave), {
      budget: { crash: 1, http: 1, time: 0 },
      maxStates: STATES,
    });
    expect(report.failure && failureInWords(report.failure)).toBeUndefined();
    expect(report.states).toBe(STATES);
  });

  it('finds a kind whose status counts what was only asked for', async () => {
    const [bell] = ringTwice.kinds;
    const hasty = {
      ...bell,
      desired: (seen: never) => ({ ...bell?.desired(seen), status: { accepted: true, rung: 2 } }),
    };
    const scenario = { ...ringTwice, kinds: [hasty] } as Scenario;
    await expect(runUndisturbed(simulationOf(scenario))).rejects.toThrow(/ring-1 is counted and was never performed/);
  });
});
