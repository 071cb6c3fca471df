import { describe, expect, it } from 'vitest';
import { defineKind } from '#lib/desired/definition.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { ApiError } from '#lib/errors.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { refusedStatusCondition } from '#lib/loop/pass/report/refused-status.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { connectionLost } from '#test/unit/support/server-answers.ts';
import { bookPod, shelf } from '#test/unit/support/shelf-kind.ts';

const RULE = 'Invalid value: 13: count must not be 13';

/** The answer of the API server to a status that violates a rule. */
const refusal = (causes: readonly { readonly field?: string; readonly message?: string }[] = []): ApiError =>
  new ApiError('patch shelves/status', { httpStatus: 422, reason: 'Invalid', message: 'Shelf is invalid', causes });

const broken = refusal([{ field: 'status.count', message: RULE }]);

describe('refusedStatusCondition()', () => {
  it.each([
    { what: 'the causes', error: broken, text: `status.count: ${RULE}` },
    {
      what: 'each cause, and a cause without a field',
      error: refusal([{ field: 'status.a', message: 'one' }, { message: 'two' }, { field: 'status.c' }]),
      text: 'status.a: one; status: two; status.c: ',
    },
    { what: 'the message of a response without causes', error: refusal(), text: 'Shelf is invalid' },
  ])('refusedStatusCondition() has $what', ({ error, text }) => {
    expect(refusedStatusCondition(error)).toEqual({
      type: 'StatusImpaired',
      status: 'True',
      reason: 'Invalid',
      message: `the API server refuses the status of the function: ${text}`,
    });
  });

  it('refusedStatusCondition() cuts a long message', () => {
    expect(refusedStatusCondition(refusal([{ message: 'x'.repeat(9000) }]))?.message).toHaveLength(1024);
  });

  it('refusedStatusCondition() is undefined for an error that another status would not avoid', () => {
    const forbidden = new ApiError('patch', { httpStatus: 403, reason: 'Forbidden', message: 'User "a" cannot patch' });
    expect([connectionLost(), forbidden, new Error('no')].map(refusedStatusCondition)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

/** A shelf whose status must not count 13 books, which only the API server checks. */
const superstitious = defineKind({
  ...shelf,
  status: s.object(
    { count: s.int32() },
    { validations: [{ rule: '!has(self.count) || self.count != 13', message: 'a shelf of 13 books brings bad luck' }] },
  ),
  desired: ({ resource }) => ({
    children: [apply(bookPod('a'))],
    status: { count: resource.spec.books.length },
    state: ready('Complete', `${resource.spec.books.length} books`),
    events: [{ type: 'Normal', reason: 'Counted', message: 'the books are counted' }],
  }),
});

const booksOf = (count: number) => ({ books: Array.from({ length: count }, (_, index) => `b${index}`) });

const refusedAfter = async (count: number) => {
  const bench = new LoopBench(superstitious);
  bench.declare('shelf', booksOf(count));
  await bench.converge('shelf');
  bench.edit('shelf', booksOf(13));
  bench.catchUp();
  const written = () => bench.api.requests.filter(({ verb }) => verb === 'patchStatus').length;
  return { bench, written };
};

describe('reconcile()', () => {
  it('reconcile() writes the conditions, and keeps the other fields, when the API server refuses the status', async () => {
    const { bench } = await refusedAfter(5);
    expect(await bench.converge('shelf')).toMatchObject({ next: 'backoff' });
    expect(bench.statusOf('shelf')).toMatchObject({ count: 5, observedGeneration: 2 });
    expect(bench.conditionOf('shelf', 'Ready')).toMatchObject({ status: 'True', message: '13 books' });
    expect(bench.conditionOf('shelf', 'StatusImpaired')).toMatchObject({
      status: 'True',
      reason: 'Invalid',
      message: expect.stringContaining('a shelf of 13 books brings bad luck') as string,
    });
    expect(bench.events.map(({ reason }) => reason)).toContain('FailedStatus');
  });

  it('reconcile() reports a new resource when the API server refuses its first status', async () => {
    const bench = new LoopBench(superstitious);
    bench.declare('shelf', booksOf(13));
    await bench.converge('shelf');
    expect(bench.conditionOf('shelf', 'Ready')).toMatchObject({ status: 'True' });
    expect(bench.conditionOf('shelf', 'StatusImpaired')).toMatchObject({ reason: 'Invalid' });
    expect(bench.statusOf('shelf')).not.toHaveProperty('count');
    expect(bench.events.map(({ reason }) => reason).toSorted()).toEqual([
      'Complete',
      'Counted',
      'FailedStatus',
      'SuccessfulCreate',
    ]);
  });

  it('reconcile() sends one request for each further try, and no event about the same conditions', async () => {
    const { bench, written } = await refusedAfter(5);
    await bench.converge('shelf');
    const [before, told] = [written(), bench.events.length];
    for (let time = 0; time < 2; time += 1) {
      await bench.timers.advance(1000);
      expect(await bench.pass('shelf')).toMatchObject({ next: 'backoff' });
    }
    expect(written() - before).toBe(2);
    expect(new Set(bench.events.slice(told).map(({ reason }) => reason))).toEqual(new Set(['FailedStatus']));
  });

  it('reconcile() removes the condition when the API server accepts a later status', async () => {
    const { bench } = await refusedAfter(5);
    await bench.converge('shelf');
    bench.edit('shelf', booksOf(12));
    bench.catchUp();
    expect(await bench.converge('shelf')).toMatchObject({ next: 'rest' });
    expect(bench.statusOf('shelf')).toMatchObject({ count: 12 });
    expect(bench.conditionOf('shelf', 'StatusImpaired')).toBeUndefined();
  });
});
