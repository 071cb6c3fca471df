import { describe, expect, it } from 'vitest';
import { keyOf } from '#lib/loop/context/key.ts';
import { inspectMemory } from '#lib/loop/context/memory.ts';
import {
  concernsNameAlone,
  type Holds,
  holdsSlot,
  holdsWithRoom,
  isOnHold,
  isRefusedByQuota,
  untilFirstEnds,
  withRoom,
} from '#lib/loop/pass/execute/holds.ts';
import { after, create, refusal } from './refusals.ts';

/** A pass without duration. */
const AT_ONCE = { began: 1000, now: 1000 };

describe('isHeld()', () => {
  const quota = after({ refused: [refusal('a')] });
  const taken = after({ refused: [refusal('a', 'NameConflict')] });
  const elsewhere = after({ refused: [refusal('west/a')] });

  it.each([
    { holds: quota, write: create('a'), now: 1000, held: true, reason: 'it was just refused' },
    { holds: quota, write: create('b'), now: 1000, held: true, reason: 'a quota concerns its neighbours, too' },
    { holds: quota, write: create('a', 'Job'), now: 1000, held: false, reason: 'it is of another kind' },
    {
      holds: quota,
      write: { ...create('a'), verb: 'remove' as const },
      now: 1000,
      held: false,
      reason: 'it is a removal',
    },
    { holds: quota, write: create('a'), now: 1499, held: true, reason: 'the time is not over' },
    { holds: quota, write: create('a'), now: 1500, held: false, reason: 'the time is over' },
    { holds: elsewhere, write: create('west/b'), now: 1000, held: true, reason: 'it is in the refused namespace' },
    { holds: elsewhere, write: create('east/b'), now: 1000, held: false, reason: 'it is in another namespace' },
    { holds: elsewhere, write: create('b'), now: 1000, held: false, reason: 'it is in the namespace of the resource' },
    { holds: quota, write: create('west/a'), now: 1000, held: false, reason: 'it is not in the refused namespace' },
    { holds: taken, write: create('a'), now: 1000, held: true, reason: 'its name is taken' },
    { holds: taken, write: create('b'), now: 1000, held: false, reason: 'the name of its neighbour is taken' },
    { holds: new Map(), write: create('a'), now: 1000, held: false, reason: 'nothing was refused' },
  ])('isHeld() is $held when $reason', ({ holds, write, now, held }) => {
    expect(isOnHold(holds, write, { now, generation: 1, populationOf: () => 2 })).toBe(held);
  });

  it('isHeld() is false when the spec was edited, which may have been the remedy', () => {
    expect(isOnHold(quota, create('a'), { now: 1000, generation: 2, populationOf: () => 2 })).toBe(false);
  });

  it.each([
    {
      refused: 'FieldConflict',
      isChanged: true,
      held: false,
      reason: 'the intent changed after a conflict over fields',
    },
    {
      refused: 'FieldConflict',
      isChanged: false,
      held: true,
      reason: 'the intent is that of the conflict over fields',
    },
    { refused: 'NameConflict', isChanged: true, held: true, reason: 'the intent changed, but the name is taken' },
  ] as const)('isOnHold() is $held when $reason', ({ refused, isChanged, held }) => {
    const holds = after({ refused: [refusal('a', refused)] });
    const moment = { now: 1000, generation: 1, populationOf: () => 2 };
    expect(isOnHold(holds, { ...create('a'), isChanged }, moment)).toBe(held);
  });

  it('isOnHold() is true after a conflict over fields when it is not known that the intent changed', () => {
    const holds = after({ refused: [refusal('a', 'FieldConflict')] });
    expect(isOnHold(holds, create('a'), { now: 1000, generation: 1, populationOf: () => 2 })).toBe(true);
  });

  it.each([
    { population: 1, held: false, reason: 'there are fewer children: there may be room again' },
    { population: 2, held: true, reason: 'there are as many children' },
    { population: 3, held: true, reason: 'there are more children' },
  ])('isHeld() is $held when $reason', ({ population, held }) => {
    const populationOf = (kind: string): number => (kind === 'Pod' ? population : 99);
    expect(isOnHold(quota, create('a'), { now: 1000, generation: 1, populationOf })).toBe(held);
  });
});

describe('isRefusedByQuota()', () => {
  const holds = after({ refused: [refusal('a')] });

  it.each([
    { holds, began: undefined, is: true, reason: 'a quota refused a write' },
    { holds, began: 1000, is: true, reason: 'the pass of the refusal began at this time' },
    { holds, began: 1001, is: false, reason: 'the pass of the refusal began earlier' },
    { holds: after({ refused: [refusal('a', 'Invalid')] }), began: undefined, is: false, reason: 'no quota refused' },
  ])('isRefusedByQuota() is $is when $reason', ({ holds, began, is }) => {
    expect(isRefusedByQuota(holds, began)).toBe(is);
  });
});

describe('withRoom()', () => {
  const holds = after({ refused: [refusal('a'), refusal('b', 'Invalid', 'apply')], random: () => 1 });
  const hold = (moment: Partial<Parameters<typeof withRoom>[1]>, of: Holds = holds) =>
    withRoom(of, { now: 1500, madeAt: 1000, random: () => 0.5, ...moment }).get('create Pod');

  it('withRoom() ends a hold for a quota soon, a second after the refusal at the earliest, and no other hold', () => {
    expect(hold({})).toMatchObject({ notBefore: 2000, hasRoom: true });
    expect(hold({})).not.toHaveProperty('quotaSince');
    const late = after({ refused: [refusal('a')], waitsMs: new Map(), random: () => 1 }, holds);
    expect(hold({ now: 2500 }, late)).toMatchObject({ notBefore: 2650 });
    expect(hold({ now: 2500, notBefore: 2700 }, late)).toMatchObject({ notBefore: 2700 });
    const moment = { now: 1500, madeAt: 1000, random: () => 0 };
    expect(withRoom(holds, moment).get('apply Pod b')).toBe(holds.get('apply Pod b'));
    expect([...holdsWithRoom(withRoom(holds, moment)).keys()]).toEqual(['create Pod']);
  });

  it('withRoom() does not make a hold longer, and does not shorten a hold of a later pass', () => {
    expect(hold({ now: 5000 })).toMatchObject({ notBefore: 2000, hasRoom: true });
    expect(hold({ madeAt: 999 })).toBe(holds.get('create Pod'));
  });

  it('withRoom() returns the same holds when no hold waits for a quota', () => {
    const invalid = after({ refused: [refusal('a', 'Invalid')] });
    expect(withRoom(invalid, { now: 1, madeAt: 1, random: () => 0 })).toBe(invalid);
  });
});

it('holdsSlot shows the times of holds as text', () => {
  const memory = new Map();
  const place = { key: keyOf('default', 'web'), uid: 'u' };
  holdsSlot.set({ memory }, place, after({ refused: [refusal('a')] }));
  expect(inspectMemory({ memory })).toMatchObject({
    'default/web': {
      holds: {
        'create Pod': {
          reason: 'QuotaExceeded',
          notBefore: '1970-01-01T00:00:01.500000Z',
          quotaSince: '1970-01-01T00:00:01.000000Z',
        },
      },
    },
  });
});

describe('holdsAfter()', () => {
  it('holdsAfter() waits twice as long after each refusal in a row, up to five minutes', () => {
    let holds: Holds = new Map();
    const waits = Array.from({ length: 14 }, () => {
      holds = after({ refused: [refusal('a')] }, holds);
      return untilFirstEnds(holds, AT_ONCE);
    });
    expect(waits.slice(0, 4)).toEqual([500, 1000, 2000, 4000]);
    expect(waits.at(-1)).toBe(150_000);
  });

  it('holdsAfter() counts once when several of a sort are refused in one pass', () => {
    const holds = after({ refused: ['a', 'b', 'c'].map((name) => refusal(name)) });
    expect(untilFirstEnds(after({ refused: [refusal('a')] }, holds), AT_ONCE)).toBe(1000);
  });

  it.each([
    ['QuotaExceeded', 1000],
    ['Forbidden', 1000],
    ['AdmissionDenied', 10_000],
    ['NamespaceTerminating', 10_000],
    ['Invalid', 10_000],
    ['Unavailable', 100],
    ['NameConflict', 100],
  ] as const)(
    'holdsAfter() waits after the first %s for %i ms at most, and for half of that at least',
    (reason, ms) => {
      const holdOf = (random: number): number =>
        untilFirstEnds(after({ refused: [refusal('a', reason)], random: () => random }), AT_ONCE);
      expect([holdOf(0), holdOf(1)]).toEqual([ms / 2, ms]);
    },
  );

  it('holdsAfter() begins anew when another reason takes the place of the last', () => {
    let holds: Holds = new Map();
    for (let tries = 0; tries < 9; tries += 1) holds = after({ refused: [refusal('a', 'Unavailable')] }, holds);
    expect(untilFirstEnds(after({ refused: [refusal('a')] }, holds), AT_ONCE)).toBe(500);
  });

  it('holdsAfter() waits for the reason that lasts longest when a pass meets several', () => {
    const refused = [refusal('a'), refusal('b', 'AdmissionDenied'), refusal('c', 'Unavailable')];
    expect(untilFirstEnds(after({ refused }), AT_ONCE)).toBe(5000);
  });

  it('holdsAfter() waits at least as long as the server asks', () => {
    const refused = refusal('a');
    expect(untilFirstEnds(after({ refused: [refused], waitsMs: new Map([[refused, 7000]]) }), AT_ONCE)).toBe(7000);
  });

  it('holdsAfter() waits for the longest delay that the server requests for writes of one sort', () => {
    const [first, second] = [refusal('a', 'Unavailable'), refusal('b', 'Unavailable')];
    const waitsMs = new Map([
      [first, 30_000],
      [second, 60_000],
    ]);
    expect(after({ refused: [first, second], waitsMs }).get('create Pod')?.notBefore).toBe(61_000);
  });

  it('holdsAfter() notes that a quota refused one of the writes, unless the server requests a delay', () => {
    const [quota, other] = [refusal('a'), refusal('b', 'AdmissionDenied')];
    expect(after({ refused: [quota, other] }).get('create Pod')).toMatchObject({ quotaSince: 1000 });
    const asked = after({ refused: [quota], waitsMs: new Map([[quota, 1]]) });
    expect(asked.get('create Pod')).not.toHaveProperty('quotaSince');
  });

  it('holdsAfter() keeps a hold as it is while it lasts', () => {
    const before = after({ refused: [refusal('a')] });
    expect(after({ waiting: [refusal('a')], now: 1020 }, before)).toEqual(before);
  });

  it('holdsAfter() makes no hold for a write that waits without one', () => {
    expect(after({ waiting: [refusal('a')] }).size).toBe(0);
  });

  it.each([{ why: 'was accepted' }, { why: 'is wanted no more' }])(
    'holdsAfter() drops a hold when the write $why',
    () => {
      expect(after({}, after({ refused: [refusal('a')] })).size).toBe(0);
    },
  );
});

describe('concernsNameAlone()', () => {
  it.each([
    ['NameConflict', 'create', true],
    ['FieldConflict', 'apply', true],
    ['FieldConflict', 'adopt', true],
    ['Invalid', 'apply', true],
    ['Invalid', 'create', false],
    ['Forbidden', 'apply', false],
    ['QuotaExceeded', 'create', false],
  ] as const)('concernsNameAlone() of the reason %s and the verb %s is %s', (reason, verb, alone) => {
    expect(concernsNameAlone({ reason, verb })).toBe(alone);
  });
});

describe('untilFirstEnds()', () => {
  it('untilFirstEnds() is Infinity when nothing is held, and 0 when a hold has ended since the pass began', () => {
    expect(untilFirstEnds(new Map(), AT_ONCE)).toBe(Infinity);
    expect(untilFirstEnds(after({ refused: [refusal('a')] }), { began: 1000, now: 5000 })).toBe(0);
  });

  it('untilFirstEnds() is Infinity for a hold that had ended when the pass began, whatever else its write waits for', () => {
    const ended = after({ refused: [refusal('a', 'NameConflict')] });
    const behind = after({ waiting: [refusal('a', 'NameConflict')], now: 5000 }, ended);
    expect(behind.size).toBe(1);
    expect(untilFirstEnds(behind, { began: 5000, now: 5001 })).toBe(Infinity);
  });

  it('untilFirstEnds() is the earliest of several', () => {
    const holds = after({ refused: [refusal('a'), refusal('b', 'QuotaExceeded', 'remove')] });
    const later = after({ refused: [refusal('a')], waiting: [refusal('b', 'QuotaExceeded', 'remove')] }, holds);
    expect(untilFirstEnds(later, AT_ONCE)).toBe(500);
  });
});
