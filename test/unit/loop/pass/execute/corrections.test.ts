import { describe, expect, it } from 'vitest';
import {
  type Corrections,
  correctionAfter,
  holding,
  leftAlone,
  type ManagedFields,
  managersIn,
  othersIn,
} from '#lib/loop/pass/execute/corrections.ts';

const MINUTE_MS = 60_000;

const after = (level: number, more: Partial<Corrections> = {}): Corrections => ({ level, at: 0, rounds: 0, ...more });

describe('correctionAfter()', () => {
  it.each([
    { before: undefined, now: 9, is: { level: 1, at: 9, rounds: 0 }, reason: 'nothing was corrected yet' },
    { before: after(1), now: 0, is: { level: 2, at: 0, rounds: 0 }, reason: 'the last correction was just now' },
    { before: after(4), now: 0, is: { level: 5, at: 0, rounds: 0 }, reason: 'four corrections were just now' },
    { before: after(4.5), now: 0, is: 'leave', reason: 'more than four corrections were just now' },
    { before: after(5), now: 0, is: 'leave', reason: 'five corrections were just now' },
    { before: after(5), now: MINUTE_MS, is: { level: 5, at: MINUTE_MS, rounds: 0 }, reason: 'a minute has passed' },
    { before: after(5), now: MINUTE_MS - 1, is: 'leave', reason: 'less than a minute has passed' },
    { before: after(2), now: MINUTE_MS / 2, is: { level: 2.5, at: 30_000, rounds: 0 }, reason: 'half a minute passed' },
    {
      before: after(2),
      now: -MINUTE_MS,
      is: { level: 3, at: -MINUTE_MS, rounds: 0 },
      reason: 'the clock stepped back',
    },
    {
      before: after(2, { rounds: 3 }),
      now: 2 * MINUTE_MS,
      is: { level: 1, at: 2 * MINUTE_MS, rounds: 0 },
      reason: 'all corrections are forgotten, and with them the pauses',
    },
    {
      before: after(2, { rounds: 3 }),
      now: 2 * MINUTE_MS - 15_000,
      is: { level: 1.25, at: 105_000, rounds: 3 },
      reason: 'a part of the corrections is not forgotten',
    },
    { before: after(5, { notBefore: 100 }), now: 40, is: 60, reason: 'a pause lasts another 60 ms' },
    {
      before: after(5, { notBefore: 100, at: 100, rounds: 1 }),
      now: 100,
      is: { level: 5, at: 100, rounds: 1 },
      reason: 'a pause is over',
    },
  ])('correctionAfter() returns $is when $reason', ({ before, now, is }) => {
    expect(correctionAfter(before, { now })).toEqual(is);
  });

  it('correctionAfter() leaves even the first correction when the burst is 0, and makes it after the pause', () => {
    expect(correctionAfter(undefined, { now: 0, burst: 0 })).toBe('leave');
    const paused = leftAlone(undefined, { now: 0, waitMs: () => 10 });
    expect(correctionAfter(paused, { now: 9, burst: 0 })).toBe(1);
    expect(correctionAfter(paused, { now: 10, burst: 0 })).toEqual({ level: 5, at: 10, rounds: 1 });
  });
});

const waitMs = (rounds: number): number => rounds * 100;

it('leftAlone() counts the pauses, and the level decreases after the pause only', () => {
  expect(leftAlone(undefined, { now: 7, waitMs })).toEqual({ level: 5, at: 107, rounds: 1, notBefore: 107 });
  expect(leftAlone(after(1, { rounds: 2 }), { now: 7, waitMs })).toEqual({
    level: 5,
    at: 307,
    rounds: 3,
    notBefore: 307,
  });
});

describe('othersIn()', () => {
  const ours: ManagedFields = { manager: 'operator', fieldsV1: {} };
  const kubectl: ManagedFields = { manager: 'kubectl', fieldsV1: { 'f:spec': { 'f:a': {} } } };
  const nameless: ManagedFields = { fieldsV1: { 'f:spec': { 'f:b': {} } } };

  it('othersIn() returns the entries of all other managers', () => {
    const live = { metadata: { managedFields: [ours, kubectl, nameless] } };
    expect(othersIn(live, 'operator')).toEqual([kubectl, nameless]);
    expect(othersIn(undefined, 'operator')).toEqual([]);
    expect(othersIn({}, 'operator')).toEqual([]);
    expect(othersIn({ metadata: {} }, 'operator')).toEqual([]);
  });

  it('holding() returns the entries with at least one of the fields', () => {
    const all = [kubectl, nameless, { manager: 'empty' }];
    expect(holding(all, [['f:spec', 'f:a'], ['f:status']])).toEqual([kubectl]);
    expect(holding(all, [['f:spec']])).toEqual([kubectl, nameless]);
    expect(holding(all, [])).toEqual([]);
  });

  it('managersIn() quotes and sorts the names, each once', () => {
    expect(managersIn([kubectl, nameless, { manager: 'a' }, kubectl])).toEqual(['""', '"a"', '"kubectl"']);
  });
});
