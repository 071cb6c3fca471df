import { afterAll, describe, expect, it } from 'vitest';
import type { RolloutChild } from '#constructs/rollout/engine/pods/child.ts';
import type { RolloutSettings } from '#constructs/rollout/engine/settings.ts';
import { type Model, searchModel } from './rollout-model/search.ts';
import { type ModelState, newCell } from './rollout-model/state.ts';

const isSoak = process.env['SOAK'] !== undefined;
const MAX_STATES = isSoak ? 3_000_000 : 35_000;

const settingsOf = (more: Partial<RolloutSettings>): RolloutSettings => ({
  replicas: 2,
  steps: [{ percent: 50 }],
  maxSurge: 1,
  maxUnavailable: 0,
  progressDeadlineSeconds: 1_000_000,
  progressDeadlineAction: 'Report',
  revisionHistoryLimit: 10,
  rollbackWindow: 0,
  rollbackInSteps: false,
  retainOldSeconds: 0,
  paused: false,
  ...more,
});

/** Version a runs, and is stable. */
const running = ({ replicas }: RolloutSettings): ModelState => ({
  status: { stableHash: 'a', canaryHash: 'a', percent: 100, desiredReplicas: replicas, currentStepIndex: 0 },
  cells: [
    {
      ...newCell('a', replicas),
      observed: 1,
      counted: replicas,
      available: replicas,
      setSize: replicas,
      setCounted: replicas,
      setAvailable: replicas,
      ready: replicas,
    },
  ],
  asked: 'a',
  replicas,
  edits: 0,
  now: 0,
});

/** Version a was just requested: it is stable, and none of its pods is ready. */
const starting = (settings: RolloutSettings): ModelState => ({
  ...running(settings),
  cells: running(settings).cells.map((it) => ({
    ...it,
    available: 0,
    setAvailable: 0,
    ready: 0,
    unready: settings.replicas,
  })),
});

const ask =
  (asked: string) =>
  (state: ModelState): ModelState => ({ ...state, asked });
const scale =
  (replicas: number) =>
  (state: ModelState): ModelState => ({ ...state, replicas });
const give =
  (verb: string, revision: string) =>
  (state: ModelState): ModelState => ({
    ...state,
    command: JSON.stringify({ id: verb, verb, revision }),
  });

const modelOf = (edits: Model['edits'], settings: Partial<RolloutSettings> = {}, more: Partial<Model> = {}): Model => ({
  settings: settingsOf(settings),
  edits,
  ...more,
});

const visit = (model: Model, maxStates = MAX_STATES) =>
  searchModel(model, (model.beginsShort === true ? starting : running)(model.settings), { maxStates });

const rollouts: [string, Model][] = [
  ['a rollout of 2', modelOf([ask('b')])],
  ['a rollout of 3 without surge', modelOf([ask('b')], { replicas: 3, maxSurge: 0, maxUnavailable: 1 })],
  ['a rollout of 3 with both', modelOf([ask('b')], { replicas: 3, maxUnavailable: 1 })],
  ['a rollout of 1', modelOf([ask('b')], { replicas: 1 })],
  [
    'a rollout with sleeps',
    modelOf([ask('b')], {
      steps: [
        { percent: 50, sleep: 2 },
        { percent: 100, sleep: 1 },
      ],
    }),
  ],
  ['a revert at any moment', modelOf([ask('b'), ask('a')])],
  ['a revert without surge', modelOf([ask('b'), ask('a')], { maxSurge: 0, maxUnavailable: 1 })],
  ['a revert in steps', modelOf([ask('b'), ask('a')], { rollbackInSteps: true })],
  ['a revert and back', modelOf([ask('b'), ask('a'), ask('b')], { steps: [] })],
  ['a revert of three', modelOf([ask('b'), ask('a')], { replicas: 3, maxUnavailable: 1, steps: [] })],
  ['three reverts', modelOf([ask('b'), ask('a'), ask('b'), ask('a')], { steps: [] })],
  ['a third version', modelOf([ask('b'), ask('c')], { steps: [] })],
  ['a rollout before stable is ready', modelOf([ask('b')], {}, { beginsShort: true })],
  ['a revert before stable is ready', modelOf([ask('b'), ask('a')], { steps: [] }, { beginsShort: true })],
  ['a third version before stable is ready', modelOf([ask('b'), ask('c')], { steps: [] }, { beginsShort: true })],
  [
    'a rollout away from what is never ready',
    modelOf([ask('b'), ask('c')], { steps: [] }, { broken: ['a', 'b'], beginsShort: true }),
  ],
  ['an abort at any moment', modelOf([ask('b'), give('abort', 'b')])],
  ['a broken version and an abort', modelOf([ask('b'), give('abort', 'b')], {}, { broken: ['b'] })],
  ['fewer replicas', modelOf([ask('b'), scale(1)])],
  ['more replicas', modelOf([ask('b'), scale(3)])],
];

const visited: string[] = [];

afterAll(() => void process.stdout.write(`${visited.join('\n')}\n`));

describe('a rollout, whatever is late', () => {
  it.each(rollouts)('%s keeps I1 to I7 in every state, and ends where it should', (name, model) => {
    const { states, ends, trace } = visit(model);
    expect(trace?.join('\n') ?? '').toBe('');
    expect(states).toBeGreaterThan(20);
    expect(ends > 0 || states >= MAX_STATES).toBe(true);
    visited.push(`${name}: ${states} states${states < MAX_STATES ? '' : ' of more'}, ${ends} ends`);
  });
});

const noGate = (child: RolloutChild): RolloutChild => ({
  ...child,
  pods: child.replicas,
  settled: true,
  counted: true,
});
const onlyGeneration = (child: RolloutChild): RolloutChild => ({
  ...child,
  counted: true,
  pods: child.replicas,
  settled: child.object.status?.observedGeneration === child.object.metadata?.generation,
});

const uncounted = (child: RolloutChild): RolloutChild => ({ ...child, counted: true });

describe('a rollout while too few pods are ready', () => {
  it('an uncounted pod may be lost: one that becomes ready after it was given up, and before its ReplicaSet acts', () => {
    const model = modelOf([ask('b')]);
    const { trace = [] } = searchModel(model, starting(model.settings), { maxStates: MAX_STATES });
    expect(trace.at(-1)).toBe('I1: 1 pods are ready, 2 must be');
    expect(trace.some((line) => line.startsWith('ready a'))).toBe(true);
  });
});

describe('a gate that is broken on purpose', () => {
  it('a gate that does not wait for pods to be counted is found, with the way there', () => {
    const { trace = [] } = visit(modelOf([ask('b'), ask('a'), ask('b')], { steps: [] }, { sight: uncounted }));
    expect(trace.at(-1)).toBe('I1: 1 pods are ready, 2 must be');
  });

  it.each([
    ['is not there', noGate],
    ['looks at observedGeneration alone', onlyGeneration],
  ])('a gate that %s is found, with the way there', (_, sight) => {
    const { trace = [] } = visit(modelOf([ask('b'), ask('a')], { steps: [{ percent: 50 }] }, { sight }));
    expect(trace.at(-1)).toBe('I1: 1 pods are ready, 2 must be');
    expect(trace.length).toBeLessThan(25);
    expect(trace.some((line) => line.startsWith('user'))).toBe(true);
  });
});
