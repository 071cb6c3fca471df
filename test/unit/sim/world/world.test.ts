import { describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { SimulationError } from '#lib/errors.ts';
import { createClusterServer } from '#lib/sim/cluster.ts';
import { runCalmly } from '#lib/sim/world/calm.ts';
import type { Scenario } from '#lib/sim/world/scenario/scenario.ts';
import { World } from '#lib/sim/world/world.ts';
import { createSet, scaleSet } from '#test/sim/scenarios/script.ts';

/** Seeds of an API server without and with watch-lists. */
const LISTS = 1;
const WATCH_LISTS = 2;

const worldOf = (more: Partial<Scenario> = {}, seed = LISTS): World =>
  new World({
    scenario: { name: 'small', kinds: [podSet], script: [createSet('web', 1)], outcome: () => null, ...more },
    seed,
    createServer: createClusterServer,
  });

const takeAll = async (world: World, labels: readonly string[]): Promise<void> => {
  for (const label of labels) await world.take(label);
};

const labelsOf = (world: World): string[] => world.enabled().map(({ label }) => label);

const podNames = ({ view }: World): string[] =>
  view.objects({ group: '', plural: 'pods' }).map(({ metadata }) => metadata.name);

const POD = 'default/web-fdfhv';

/** The steps of a schedule until the loop has sent the create of the set's pod. */
const untilPodIsAsked = [
  'user creates set web of 1',
  'operator-1 starts',
  'operator-1 → list pods',
  'operator-1 ← list pods',
  'operator-1 → list podsets',
  'operator-1 ← list podsets',
  'operator-1 → list controllerrevisions',
  'operator-1 ← list controllerrevisions',
  'operator-1 → watch pods',
  'operator-1 → watch podsets',
];

describe('World', () => {
  it('does nothing by itself: at first there is the operator that starts, the script, and what may go wrong', () => {
    const world = worldOf();
    expect(labelsOf(world)).toEqual(['operator-1 starts', 'user creates set web of 1', 'history forgotten']);
    expect(world.trace.entries).toEqual([]);
  });

  it('lets a request arrive, be answered and be received in steps of their own', async () => {
    const world = worldOf();
    await takeAll(world, untilPodIsAsked);
    expect(labelsOf(world)).toContain(`operator-1 → create pods ${POD}`);
    await world.take(`operator-1 → create pods ${POD}`);
    expect(world.trace.entries.at(-1)).toMatchObject({ outcome: '201', nature: 'progress' });
    expect(podNames(world)).toHaveLength(1);
    expect(labelsOf(world)).toEqual(
      expect.arrayContaining([
        `operator-1 ← ADDED pods ${POD}`,
        `operator-1 ← create pods ${POD}`,
        `answer lost: operator-1 create pods ${POD}`,
      ]),
    );
  });

  it('a request that is lost never arrived, one whose answer is lost did', async () => {
    for (const [loss, pods] of [
      [[`request lost: operator-1 create pods ${POD}`], 0],
      [[`operator-1 → create pods ${POD}`, `answer lost: operator-1 create pods ${POD}`], 1],
    ] as const) {
      const world = worldOf();
      await takeAll(world, [...untilPodIsAsked, ...loss]);
      expect(podNames(world)).toHaveLength(pods);
      // The loop cannot distinguish a lost write from a lost answer.
      expect(world.trace.entries.at(-1)?.notes.join()).toContain('write refused');
    }
  });

  it('what a process sent before it crashed may still arrive, beside what the next one sends', async () => {
    const world = worldOf();
    await takeAll(world, [...untilPodIsAsked, 'crash: operator-1', ...untilPodIsAsked.slice(1)]);
    const asked = labelsOf(world).filter((label) => label.includes('→ create'));
    expect(asked).toEqual([`operator-1(crashed) → create pods ${POD}`, `operator-1 → create pods ${POD}`]);
    await takeAll(world, [`operator-1(crashed) → create pods ${POD}`, `operator-1 → create pods ${POD}`]);
    expect(world.trace.entries.slice(-2).map(({ outcome }) => outcome)).toEqual(['201', '409 AlreadyExists']);
    expect(labelsOf(world).filter((label) => label.startsWith('operator-1 ← create'))).toHaveLength(1);
  });

  it('a silent watch brings nothing, and is given up half a minute after its agreed end', async () => {
    const silent = worldOf({ script: [createSet('web', 1), scaleSet('web', 2)] });
    await takeAll(silent, [...untilPodIsAsked, 'watch silent: operator-1 watch podsets', 'user scales set web to 2']);
    expect(labelsOf(silent).filter((label) => label.startsWith('operator-1 ← MODIFIED podsets'))).toEqual([]);
    expect(silent.cluster.isWaiting).toBe(true);
    await runCalmly(silent);
    expect(podNames(silent)).toHaveLength(2);
  });

  it('history that is forgotten ends watches that start in it with 410, and all is well nevertheless', async () => {
    const world = worldOf();
    await takeAll(world, [...untilPodIsAsked.slice(0, -2), `operator-1 → create pods ${POD}`, 'history forgotten']);
    await world.take('operator-1 → watch pods');
    expect(labelsOf(world)).toContain('operator-1 ← ERROR pods');
    await runCalmly(world);
    expect(world.trace.entries.filter(({ label }) => label === 'operator-1 → list pods')).toHaveLength(2);
  });

  it('lets the beginning of a watch-list be received in one step, and be cut off before', async () => {
    const world = worldOf({}, WATCH_LISTS);
    await takeAll(world, ['user creates set web of 1', 'operator-1 starts', 'operator-1 → watch podsets']);
    expect(labelsOf(world)).toEqual(
      expect.arrayContaining(['operator-1 ← all podsets (1)', 'watch cut: operator-1 watch podsets']),
    );
    await takeAll(world, ['operator-1 ← all podsets (1)', 'operator-1 → watch pods', 'operator-1 ← all pods (0)']);
    await takeAll(world, ['operator-1 → watch controllerrevisions', 'operator-1 ← all controllerrevisions (0)']);
    expect(labelsOf(world).filter((label) => label.includes('→ create pods'))).toHaveLength(1);
    await runCalmly(world);
    expect(podNames(world)).toHaveLength(1);
  });

  it('an old list is what there was so many writes ago', async () => {
    const world = worldOf();
    await takeAll(world, ['user creates set web of 1', 'operator-1 starts']);
    await takeAll(world, ['1 version stale: operator-1 list podsets', 'operator-1 ← list podsets']);
    await takeAll(world, ['operator-1 → list pods', 'operator-1 ← list pods']);
    await takeAll(world, ['operator-1 → list controllerrevisions', 'operator-1 ← list controllerrevisions']);
    expect(labelsOf(world).filter((label) => label.includes('create pods'))).toEqual([]);
    await runCalmly(world);
    expect(podNames(world)).toHaveLength(1);
  });

  it('take() throws SimulationError for a step that cannot happen, with seed and step', async () => {
    const world = worldOf();
    await world.take('operator-1 starts');
    await expect(world.take('operator-7 starts')).rejects.toThrow(SimulationError);
    await expect(world.take('operator-7 starts')).rejects.toThrow(
      'Cannot take "operator-7 starts": no step of that name is possible now (scenario "small", seed 1, step 1)',
    );
  });

  it('remembers the first broken invariant', async () => {
    const world = worldOf({
      invariants: () => [
        { name: 'first', check: () => 'broken' },
        { name: 'second', check: () => 'too' },
      ],
    });
    await world.take('operator-1 starts');
    expect(world.violation).toBe('first: broken');
  });
});
