import { describe, expect, it } from 'vitest';
import { ApiError, ConnectionError, type ReconcileError } from '#lib/errors.ts';
import { FailureLog } from '#lib/loop/source/failure-log.ts';
import { WatchStanding } from '#lib/loop/source/standing.ts';
import { capturedLog } from '#test/unit/support/captured-log.ts';

const answered = (httpStatus: number, message: string): ApiError =>
  new ApiError('list podsets', { httpStatus, reason: 'TooManyRequests', message });

/** The levels of the lines about one watch, which fails at some times, and works at the times without an error. */
const levels = (failures: readonly (readonly [nowMs: number, error: ReconcileError | undefined])[]): string[] => {
  const { log, lines } = capturedLog();
  const failureLog = new FailureLog(log);
  const standing = new WatchStanding();
  for (const [nowMs, error] of failures) {
    if (error === undefined) {
      standing.filled();
      continue;
    }
    standing.failed(error, nowMs);
    failureLog.failed({ resource: 'podsets' }, { error, retryInMs: 500, trouble: standing.trouble, nowMs });
  }
  return lines.map((line) => (JSON.parse(line) as { level: string }).level);
};

describe('FailureLog.failed()', () => {
  it.each([
    answered(429, 'storage is (re)initializing'),
    answered(404, 'the server could not find the requested resource'),
    answered(403, 'podsets.app.example.com is forbidden'),
    answered(503, 'apiserver is starting'),
  ])('FailureLog warns once of what is part of a start, and reports an error when it lasts: $httpStatus', (error) => {
    const tries = [0, 500, 2000, 29_000, 30_000, 60_000] as const;
    const expected = ['warn', 'debug', 'debug', 'debug', 'error', 'error'];
    expect(levels(tries.map((nowMs) => [nowMs, error]))).toEqual(expected);
  });

  it('FailureLog warns again when a watch that was well fails later', () => {
    const busy = answered(429, 'storage is (re)initializing');
    expect(
      levels([
        [0, busy],
        [1000, undefined],
        [90_000, busy],
      ]),
    ).toEqual(['warn', 'warn']);
  });

  it('FailureLog reports an API server that cannot be reached as an error at once', () => {
    expect(levels([[0, new ConnectionError('connect ECONNREFUSED')]])).toEqual(['error']);
  });

  it('FailureLog leaves credentials that are not accepted to the line that every watch shares', () => {
    expect(levels([[0, answered(401, 'Unauthorized')]])).toEqual(['debug']);
  });
});
