import { describe, expect, it } from 'vitest';
import { inspectMemory } from '#lib/loop/context/memory.ts';
import { contestCondition, endContest, noteWritten, settleContest } from '#lib/loop/pass/report/status-contest.ts';
import {
  CALM_MS,
  type Contest,
  contest,
  FIRST_MS,
  kind,
  owning,
  owningConditions,
  REFUSED,
  SECOND_MS,
  written,
} from './contest-bench.ts';

const ADVICE = '; stop one of the two writers';
const UNKNOWN = 'an admission webhook, or another process that writes as "shelves",';

const announced = async (options: Contest): Promise<string | undefined> => {
  const { pause, events } = written(options);
  await pause();
  return events[0]?.message.replace(ADVICE, '');
};

const READY = { type: 'Ready', status: 'True' };
const UNREADY = { type: 'Ready', status: 'False' };
const OLD = { type: 'Old', status: 'True' };
const NEW = { type: 'New', status: 'True' };
const SAME = { type: 'Same', status: 'True' };

describe('contestedWrite()', () => {
  it('contestedWrite() never delays the status before the first write of this process', async () => {
    const { correct, events } = contest();
    for (let time = 0; time < 10; time += 1) expect(await correct()).toBe('at once');
    expect(events).toEqual([]);
  });

  it('contestedWrite() delays the sixth correction and each attempt within the pause, and announces the pause once', async () => {
    const { correct, later, events, failed } = written();
    for (let time = 0; time < 5; time += 1) expect(await correct()).toBe('at once');
    expect(failed).toEqual([]);
    expect(await correct()).toEqual({ waitMs: FIRST_MS });
    later(100);
    expect(await correct()).toEqual({ waitMs: FIRST_MS - 100 });
    expect(failed).toEqual(['FieldConflict']);
    expect(events).toEqual([
      {
        regarding: { apiVersion: kind.apiVersion, kind: kind.kind, namespace: 'default', name: 'shelf', uid: 'u' },
        type: 'Warning',
        reason: 'StatusConflict',
        message: `"rival" keeps changing status.note${ADVICE}`,
      },
    ]);
  });

  it('contestedWrite() counts the second pause without a second event while the contest lasts', async () => {
    const { correct, correctAfterPause, events, failed } = written();
    expect(await correctAfterPause()).toBe('at once');
    expect(await correct()).toEqual({ waitMs: SECOND_MS });
    expect(failed).toEqual(['FieldConflict', 'FieldConflict']);
    expect(events).toHaveLength(1);
  });

  it('contestedWrite() shows the corrections and their times in the memory', async () => {
    const { context, correct, pause, later } = written();
    const shown = () => Object.values(inspectMemory(context));
    await correct();
    expect(shown()).toEqual([
      { uid: 'u', contest: { level: 1, at: '2026-11-21T12:00:00.000000Z', rounds: 0, text: '', isNamed: false } },
    ]);
    await pause();
    const text = '"rival" keeps changing status.note';
    const end = '2026-11-21T12:00:00.750000Z';
    const paused = { level: 5, at: end, rounds: 1, text, isNamed: true, calmAt: '2026-11-21T12:00:01.750000Z' };
    expect(shown()).toEqual([{ uid: 'u', contest: { ...paused, notBefore: end } }]);
    later(FIRST_MS);
    await correct();
    expect(shown()).toEqual([{ uid: 'u', contest: paused }]);
  });
});

describe('contestedWrite() announces a contest', () => {
  it.each([
    { who: 'the owner of the field', managers: [owning('rival')], named: '"rival"' },
    { who: 'all owners of the field', managers: [owning('b'), owning('a')], named: '"a" and "b"' },
    {
      who: 'only the owners of the field',
      managers: [owning('other', { 'f:count': {} }), owning('rival')],
      named: '"rival"',
    },
    {
      who: 'all other managers of the status when none owns the field',
      managers: [owning('b', { 'f:count': {} }), owning('a', {})],
      named: '"a" and "b"',
    },
    { who: 'no manager when only this process owns the status', managers: [owning('shelves')], named: UNKNOWN },
    { who: 'no manager when others own only the spec', managers: [owning('rival', {}, '')], named: UNKNOWN },
    { who: 'no manager when the live get is refused', managers: REFUSED, named: UNKNOWN },
  ])('contestedWrite() names $who', async ({ managers, named }) => {
    const verb = named.includes('" and "') ? 'keep' : 'keeps';
    expect(await announced({ managers })).toBe(`${named} ${verb} changing status.note`);
  });

  it.each([
    {
      what: 'each field that differs',
      stored: { a: 1, b: 1, c: 1 },
      next: { a: 2, b: 1, d: 1 },
      named: 'status.a, status.c, status.d',
    },
    {
      what: 'each condition that differs, is missing or is added',
      stored: { conditions: [OLD, UNREADY, SAME] },
      next: { conditions: [NEW, READY, SAME] },
      named: 'status.conditions[type=New], status.conditions[type=Old], status.conditions[type=Ready]',
    },
    {
      what: 'fields before conditions',
      stored: { conditions: [UNREADY], note: 'theirs' },
      next: { conditions: [READY], note: 'ours' },
      named: 'status.note, status.conditions[type=Ready]',
    },
  ])('contestedWrite() names $what', async ({ stored, next, named }) => {
    expect(await announced({ stored, next })).toBe(`"rival" keeps changing ${named}`);
  });

  it('contestedWrite() names only the owner of the condition that differs', async () => {
    const managers = [owningConditions('other', 'Same'), owningConditions('rival', 'Ready')];
    const [stored, next] = [{ conditions: [UNREADY, SAME] }, { conditions: [READY, SAME] }];
    expect(await announced({ stored, next, managers })).toBe('"rival" keeps changing status.conditions[type=Ready]');
  });

  it('contestedWrite() names the status when the stored one has all fields of the next one', async () => {
    const { context, theirs, pause, events } = contest({ next: { note: 'theirs' } });
    noteWritten(context, theirs, { note: 'earlier' });
    await pause();
    expect(events[0]?.message).toBe(`"rival" keeps changing the status${ADVICE}`);
  });
});

describe('contestCondition()', () => {
  it('contestCondition() names the other manager from the first pause on', async () => {
    const { context, theirs, correct, pause } = written();
    expect(contestCondition(context, theirs)).toBeUndefined();
    await correct();
    expect(contestCondition(context, theirs)).toBeUndefined();
    await pause();
    expect(contestCondition(context, theirs)).toEqual({
      type: 'StatusImpaired',
      status: 'True',
      reason: 'FieldConflict',
      message: `"rival" keeps changing status.note${ADVICE}`,
    });
  });

  it('contestCondition() is undefined when the other manager is unknown', async () => {
    const { context, theirs, pause } = written({ managers: [] });
    await pause();
    expect(contestCondition(context, theirs)).toBeUndefined();
  });
});

describe('settleContest()', () => {
  it('settleContest() is Infinity without corrections, and before the first pause', async () => {
    const { context, ours, correct } = written();
    expect(settleContest(context, ours)).toBe(Infinity);
    await correct();
    expect(settleContest(context, ours)).toBe(Infinity);
  });

  it('settleContest() includes the rest of the pause when the other writer has undone its change', async () => {
    const { context, ours, pause } = written();
    await pause();
    expect(settleContest(context, ours)).toBe(FIRST_MS + CALM_MS);
  });

  it('settleContest() returns the time until the contest is over, then 0 once, and ends the contest', async () => {
    const { context, ours, later, correctAfterPause } = written();
    await correctAfterPause();
    expect(settleContest(context, ours)).toBe(CALM_MS);
    later(CALM_MS - 1);
    expect(settleContest(context, ours)).toBe(1);
    expect(contestCondition(context, ours)).toBeDefined();
    later(1);
    expect(settleContest(context, ours)).toBe(0);
    expect(contestCondition(context, ours)).toBeUndefined();
    expect(settleContest(context, ours)).toBe(Infinity);
  });

  it('settleContest() is Infinity at the end of a contest without a condition', async () => {
    const { context, ours, later, correctAfterPause } = written({ managers: [] });
    await correctAfterPause();
    later(CALM_MS);
    expect(settleContest(context, ours)).toBe(Infinity);
  });

  it('settleContest() keeps the corrections, so that the next change begins a second, announced pause', async () => {
    const { context, ours, later, correct, correctAfterPause, events } = written();
    await correctAfterPause();
    later(CALM_MS);
    settleContest(context, ours);
    expect(await correct()).toEqual({ waitMs: SECOND_MS });
    expect(events).toHaveLength(2);
  });
});

describe('endContest()', () => {
  it.each([
    { what: 'ends a contest after its time', passedMs: CALM_MS, isTheirs: false, ends: true },
    { what: 'keeps a contest before its end', passedMs: CALM_MS - 1, isTheirs: false, ends: false },
    { what: 'keeps a contest when the status has changed again', passedMs: CALM_MS, isTheirs: true, ends: false },
  ])('endContest() $what', async ({ passedMs, isTheirs, ends }) => {
    const { context, theirs, ours, later, correctAfterPause } = written();
    await correctAfterPause();
    later(passedMs);
    endContest(context, isTheirs ? theirs : ours);
    expect(contestCondition(context, ours) === undefined).toBe(ends);
  });

  it('endContest() ends a contest after its pause when the other writer has undone its change', async () => {
    const { context, ours, later, pause } = written();
    await pause();
    later(FIRST_MS + CALM_MS - 1);
    endContest(context, ours);
    expect(contestCondition(context, ours)).toBeDefined();
    later(1);
    endContest(context, ours);
    expect(contestCondition(context, ours)).toBeUndefined();
  });
});
