import { describe, expect, it } from 'vitest';
import {
  type Condition,
  type ConditionInput,
  conditionsOf,
  derivedConditionTypes,
} from '#lib/desired/result/conditions.ts';
import { progressing, ready, stalled } from '#lib/desired/result/state.ts';

const BEFORE = '2026-11-21T08:00:00Z';
const NOW = '2026-11-21T09:30:00Z';

const conditionsFor = (input: Partial<ConditionInput>): Condition[] =>
  conditionsOf({
    state: ready('Fine', 'all is well'),
    previous: [],
    generation: 4,
    now: '2026-11-21T09:30:00.987654Z',
    ...input,
  });

const statuses = (conditions: readonly Condition[]): Record<string, string> =>
  Object.fromEntries(conditions.map(({ type, status }) => [type, status]));

const stored = (type: string, status: Condition['status']): Condition => ({
  type,
  status,
  reason: 'Old',
  message: 'old',
  lastTransitionTime: BEFORE,
  observedGeneration: 3,
});

/** A condition of the kind's own. */
const own = (type: string) => ({ type, status: 'True' as const, reason: 'Own', message: 'own' });

describe('conditionsOf()', () => {
  it.each([
    {
      state: ready('R', 'm'),
      expected: { Ready: 'True', Reconciling: 'False', Stalled: 'False' },
      reason: 'kstatus: Current',
    },
    {
      state: progressing('R', 'm'),
      expected: { Ready: 'False', Reconciling: 'True', Stalled: 'False' },
      reason: 'kstatus: InProgress',
    },
    {
      state: stalled('R', 'm'),
      expected: { Ready: 'False', Reconciling: 'False', Stalled: 'True' },
      reason: 'kstatus: Failed',
    },
  ])('conditionsOf() makes $expected when the state is $state.state ($reason)', ({ state, expected }) => {
    expect(statuses(conditionsFor({ state }))).toEqual(expected);
  });

  it('conditionsOf() gives every condition the reason of the state and the generation, and its message to Ready and to what is true', () => {
    const common = { reason: 'Short', message: '1 of 2', lastTransitionTime: NOW, observedGeneration: 4 };
    expect(conditionsFor({ state: progressing('Short', '1 of 2') })).toEqual([
      { type: 'Ready', status: 'False', ...common },
      { type: 'Reconciling', status: 'True', ...common },
      { type: 'Stalled', status: 'False', ...common, message: '' },
    ]);
  });

  it.each([
    { before: 'True', since: BEFORE, reason: 'the status stays, though reason and message change' },
    { before: 'False', since: NOW, reason: 'the status changes' },
    { before: 'Unknown', since: NOW, reason: 'the status becomes known' },
  ] as const)('conditionsOf() says $since when $reason', ({ before, since }) => {
    const [first] = conditionsFor({ previous: [stored('Ready', before)] });
    expect(first?.lastTransitionTime).toBe(since);
  });

  it('conditionsOf() stores whole seconds, as metav1.Time has no more', () => {
    expect(conditionsFor({})[0]?.lastTransitionTime).toBe(NOW);
  });

  it('conditionsOf() puts the kind’s own conditions behind, sorted by type, each with its own transition time', () => {
    const made = conditionsFor({
      conditions: [own('Progressing'), own('Available')],
      previous: [stored('Available', 'True'), stored('Progressing', 'False')],
    });
    expect(made.map(({ type, lastTransitionTime }) => [type, lastTransitionTime])).toEqual([
      ['Ready', NOW],
      ['Reconciling', NOW],
      ['Stalled', NOW],
      ['Available', BEFORE],
      ['Progressing', NOW],
    ]);
  });

  it('conditionsOf() drops a condition when the kind no longer reports it', () => {
    const made = conditionsFor({ previous: [stored('Available', 'True')] });
    expect(made.map(({ type }) => type)).toEqual(['Ready', 'Reconciling', 'Stalled']);
  });

  it('conditionsOf() is the same at every repetition', () => {
    const first = conditionsFor({ state: stalled('No', 'no') });
    expect(conditionsFor({ state: stalled('No', 'no'), previous: first, now: '2026-11-21T10:00:00.000000Z' })).toEqual(
      first,
    );
  });

  it('derivedConditionTypes names what the library derives', () => {
    expect(conditionsFor({}).map(({ type }) => type)).toEqual(derivedConditionTypes);
  });
});
