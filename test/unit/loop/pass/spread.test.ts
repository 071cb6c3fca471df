import { describe, expect, it } from 'vitest';
import { ApiError } from '#lib/errors.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { serverBusy } from '#test/unit/support/server-answers.ts';

const invalid = (): ApiError =>
  new ApiError('create pods', { httpStatus: 422, reason: 'Invalid', message: 'Pod "a" is invalid' });

const benchOf = (drawn: number): LoopBench => {
  const bench = new LoopBench();
  Object.assign(bench.context, { random: () => drawn });
  bench.declare('shelf', { books: ['a'] });
  return bench;
};

describe('retries of refusals that came together', () => {
  it.each([
    { verb: 'patchStatus', error: serverBusy(10), drawn: 0, atLeastMs: 10_000 },
    { verb: 'patchStatus', error: serverBusy(10), drawn: 0.75, atLeastMs: 17_500 },
    { verb: 'create', error: serverBusy(10), drawn: 0, atLeastMs: 10_000 },
    { verb: 'create', error: serverBusy(10), drawn: 0.75, atLeastMs: 17_500 },
    { verb: 'create', error: invalid(), drawn: 0, atLeastMs: 150_000 },
    { verb: 'create', error: invalid(), drawn: 0.75, atLeastMs: 262_500 },
  ])('reconcile() waits $atLeastMs ms with a $verb when $drawn is drawn', async ({ verb, error, drawn, atLeastMs }) => {
    const bench = benchOf(drawn);
    bench.api.refuse = (request) => (request.verb === verb ? error : undefined);
    let result = await bench.pass('shelf');
    for (let passes = 0; result.next === 'again' && passes < 5; passes += 1) {
      await bench.timers.advance(result.afterMs);
      result = await bench.pass('shelf');
    }
    expect(result).toMatchObject({ next: 'backoff', atLeastMs });
  });
});
