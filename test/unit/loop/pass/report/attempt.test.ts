import { describe, expect, it } from 'vitest';
import { ApiError, NotLeadingError } from '#lib/errors.ts';
import { attemptReport } from '#lib/loop/pass/report/attempt.ts';
import { snapshotOf } from '#test/unit/loop/pass/pass-bench.ts';
import { capturedLog } from '#test/unit/support/captured-log.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { connectionLost, serverBusy } from '#test/unit/support/server-answers.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';

const answer = (httpStatus: number, reason: string, causes: readonly { readonly reason: string }[] = []): ApiError =>
  new ApiError('patch shelves', { httpStatus, reason, message: 'no', causes });

const fieldConflict = answer(409, 'Conflict', [{ reason: 'FieldManagerConflict' }]);

/** An attempt to report about an unchanged shelf that fails with an error, and all that it leaves behind. */
const failing = async (error: Error, change: (bench: LoopBench) => void = () => undefined) => {
  const { log, lines } = capturedLog();
  const bench = new LoopBench(shelf, log);
  bench.declare('shelf', { books: [] });
  const seen = snapshotOf(bench.context, 'shelf');
  change(bench);
  const failed: string[] = [];
  const metrics = { ...bench.context.metrics, statusFailed: (reason: string) => void failed.push(reason) };
  const context = { ...bench.context, metrics, random: () => 0.5 };
  const write = async (): Promise<never> => {
    throw error;
  };
  const report = await attemptReport(context, seen, write);
  const entries = lines.map((line) => JSON.parse(line) as { readonly msg: string });
  return {
    report,
    failed,
    events: bench.events.map(({ type, reason, message }) => ({ type, reason, message })),
    entries: entries.filter(({ msg }) => msg === 'status write failed'),
    gets: bench.api.requests.filter(({ verb }) => verb === 'get').length,
  };
};

const BUNDLE = 'apply the install bundle of the version of the operator; its log has the answer of the API server';
const TYPE =
  'another field manager owns this condition of the parent; choose another type for the condition of the extension';

describe('attemptReport()', () => {
  it.each([
    { error: answer(403, 'Forbidden'), reason: 'Forbidden', advice: BUNDLE, gets: 0 },
    { error: answer(404, 'NotFound'), reason: 'NotFound', advice: BUNDLE, gets: 1 },
    { error: fieldConflict, reason: 'FieldConflict', advice: TYPE, gets: 1 },
  ])('attemptReport() counts and logs the reason $reason as an error, and sends an event', async (given) => {
    const { error, reason, advice, gets } = given;
    expect(await failing(error)).toMatchObject({
      report: { status: 'failed', retryAfterMs: 0 },
      failed: [reason],
      events: [{ type: 'Warning', reason: 'FailedStatus', message: `cannot write the status: ${reason}; ${advice}` }],
      entries: [{ level: 'error', key: 'default/shelf', error: { message: error.message } }],
      gets,
    });
  });

  it.each([connectionLost(), answer(500, 'InternalError'), answer(409, 'Conflict')])(
    'attemptReport() logs an error that a retry may solve as information, without an event: %s',
    async (error) => {
      expect(await failing(error)).toMatchObject({
        report: { status: 'failed', retryAfterMs: 0 },
        failed: ['Unavailable'],
        events: [],
        entries: [{ level: 'info', key: 'default/shelf' }],
      });
    },
  );

  it('attemptReport() retries after one to two times the delay that the API server requests', async () => {
    expect((await failing(serverBusy(4))).report).toEqual({ status: 'failed', retryAfterMs: 6000 });
  });

  it.each([404, 409])(
    'attemptReport() leaves the report to the next pass when the resource is gone: %s',
    async (code) => {
      const gone = await failing(answer(code, ''), (bench) => bench.api.vanish(bench.kind, 'shelf'));
      expect(gone).toMatchObject({ report: { status: 'later', afterMs: 0 }, failed: [], entries: [], events: [] });
    },
  );

  it('attemptReport() rejects when the leadership has ended', async () => {
    await expect(failing(new NotLeadingError('the lease is lost'))).rejects.toThrow('the lease is lost');
  });
});
