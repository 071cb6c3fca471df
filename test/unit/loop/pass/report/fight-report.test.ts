import { describe, expect, it } from 'vitest';
import type { Refusal } from '#lib/desired/observation.ts';
import { progressing, ready } from '#lib/desired/result/state.ts';
import type { Context } from '#lib/loop/context/context.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { type Fight, fightsSlot } from '#lib/loop/pass/execute/fights.ts';
import { fightState, overrideCondition, withoutOverrides } from '#lib/loop/pass/report/fight-report.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import { refusal as refusalOf } from '#test/unit/loop/pass/execute/refusals.ts';

const seen = { key: keyOf('default', 'web'), uid: 'u' } as Snapshot;

const fight = (name: string, more: Partial<Fight> = {}): Fight => ({
  kind: 'Pod',
  name,
  level: 5,
  at: 0,
  rounds: 1,
  text: `text of ${name}`,
  isOverride: true,
  ...more,
});

const refusal = (name: string, more: Partial<Refusal> = {}): Refusal => ({
  ...refusalOf(name, 'FieldConflict', 'apply'),
  ...more,
});

/** A context that remembers some fights. */
const remembering = (...fights: readonly Fight[]): Context => {
  const context = { memory: new Map() } as unknown as Context;
  fightsSlot.set(context, seen, new Map(fights.map((each, index) => [`${index}`, each])));
  return context;
};

const ADVICE = 'change the policy, or request values that it allows';
const refused = [refusal('a')];

const messageOf = (fights: readonly Fight[], refusals: readonly Refusal[] = refused) =>
  overrideCondition(remembering(...fights), seen, refusals)?.message;

describe('overrideCondition()', () => {
  it('overrideCondition() has the texts of all overrides, sorted and without duplicates', () => {
    const fights = [fight('b'), fight('a'), fight('a', { text: 'text of b' })];
    expect(overrideCondition(remembering(...fights), seen, [refusal('b'), refusal('a')])).toEqual({
      type: 'ChildOverridden',
      status: 'True',
      reason: 'FieldConflict',
      message: `text of a; text of b; ${ADVICE}`,
    });
  });

  it.each([
    { count: 10, end: 'text of 09' },
    { count: 12, end: 'text of 09; and 2 more' },
  ])('overrideCondition() names at most ten of $count overrides', ({ count, end }) => {
    const names = Array.from({ length: count }, (_, index) => String(index).padStart(2, '0'));
    const message = messageOf(
      names.map((name) => fight(name)),
      names.map((name) => refusal(name)),
    );
    expect(message).toMatch(/^text of 00; text of 01;/);
    expect(message?.endsWith(`${end}; ${ADVICE}`)).toBe(true);
  });

  it.each([
    { why: 'another writer changes the field', fights: [fight('a', { isOverride: false })] },
    { why: 'no pause began', fights: [fight('a', { text: '' })] },
    { why: 'the fight is over another child', fights: [fight('b')] },
    { why: 'the fight is over a child of another kind', fights: [fight('a', { kind: 'Job' })] },
    { why: 'the write is refused for another reason', refusals: [refusal('a', { reason: 'Forbidden' })] },
    { why: 'no write is refused', refusals: [] },
  ])('overrideCondition() is undefined when $why', ({ fights = [fight('a')], refusals = refused }) => {
    expect(messageOf(fights, refusals)).toBeUndefined();
  });
});

describe('fightState()', () => {
  const good = ready('Fine', 'fine');
  const busy = progressing('Filling', 'fills');
  const rival = fight('a', { isOverride: false });

  it.each([
    { why: 'another writer changes a field', fights: [rival], state: good, text: 'text of a; let one of the two go' },
    {
      why: 'other writers change fields of two children',
      fights: [rival, fight('b', { isOverride: false })],
      refused: [refusal('a'), refusal('b')],
      state: good,
      text: 'text of a; text of b; let one of the two go',
    },
    { why: 'both change fields', fights: [fight('a'), rival], state: busy, text: 'text of a; let one of the two go' },
    {
      why: 'admission changes a field before the state is ready',
      fights: [fight('a')],
      state: busy,
      text: `text of a; ${ADVICE}`,
    },
  ])('fightState() is stalled when $why', ({ fights, state, text, refused: refusals = refused }) => {
    expect(fightState(remembering(...fights), seen, { refused: refusals, state })).toEqual({
      state: 'stalled',
      reason: 'FieldConflict',
      message: text,
    });
  });

  it.each([
    { why: 'admission changes a field and the state is ready', fights: [fight('a')], state: good },
    { why: 'there is no fight', fights: [], state: busy },
  ])('fightState() is undefined when $why', ({ fights, state }) => {
    expect(fightState(remembering(...fights), seen, { refused, state })).toBeUndefined();
  });
});

describe('withoutOverrides()', () => {
  it('withoutOverrides() leaves out the field conflicts of children that admission changed, and nothing else', () => {
    const kept = [refusal('b'), refusal('a', { kind: 'Job' }), refusal('a', { reason: 'Forbidden' })];
    const left = withoutOverrides(remembering(fight('a'), fight('c')), seen, [refusal('a'), ...kept, refusal('c')]);
    expect(left).toEqual(kept);
  });

  it('withoutOverrides() returns the given refusals when admission changed no child', () => {
    expect(withoutOverrides(remembering(fight('a', { isOverride: false })), seen, refused)).toBe(refused);
  });
});
