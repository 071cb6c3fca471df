import { describe, expect, it } from 'vitest';
import { ApiError } from '#lib/errors.ts';
import type { Logger } from '#lib/telemetry/log.ts';
import { quietLog } from '#lib/telemetry/quiet-log.ts';

const error = new ApiError('list pods', { httpStatus: 403, reason: 'Forbidden', message: 'no' });

const setUp = () => {
  const lines: string[] = [];
  let now = 0;
  const loggerOf = (bound: object): Logger => {
    const write = (level: string) => (fields: object, message: string) => {
      const { error: _error, ...rest } = { ...bound, ...fields } as { readonly error?: unknown };
      lines.push(`${level} ${message} ${JSON.stringify(rest)}`);
    };
    const child = (fields: object): Logger => loggerOf({ ...bound, ...fields });
    return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error'), child };
  };
  const log = quietLog(loggerOf({}), { elapsed: () => now });
  return { lines, log, pass: (ms: number) => (now += ms) };
};

describe('quietLog()', () => {
  it('says a failure that repeats ever more rarely, and how often it was', () => {
    const { lines, log } = setUp();
    for (let time = 0; time < 9; time += 1) log.error({ key: 'a/b', error, retryInMs: time }, 'watch failed');
    expect(lines).toEqual([
      'error watch failed {"key":"a/b","retryInMs":0}',
      'error watch failed {"key":"a/b","retryInMs":1,"times":2}',
      'error watch failed {"key":"a/b","retryInMs":3,"times":4}',
      'error watch failed {"key":"a/b","retryInMs":7,"times":8}',
    ]);
  });

  it.each([
    { fields: { key: 'a/c', error }, reason: 'it is about another object' },
    { fields: { key: 'a/b', error: new TypeError('other') }, reason: 'the error is another one' },
    { fields: { key: 'a/b' }, reason: 'it is no failure' },
  ])('says a line in full when $reason', ({ fields }) => {
    const { lines, log } = setUp();
    for (let time = 0; time < 3; time += 1) log.info({ key: 'a/b', error }, 'm');
    lines.length = 0;
    log.info(fields, 'm');
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain('times');
  });

  it('says a failure anew after a quarter of an hour of silence', () => {
    const { lines, log, pass } = setUp();
    for (let time = 0; time < 3; time += 1) log.warn({ error }, 'm');
    pass(900_000);
    log.warn({ error }, 'm');
    expect(lines.at(-1)).toBe('warn m {}');
    expect(lines).toHaveLength(3);
  });

  it('child() keeps loggers of different controllers apart', () => {
    const { lines, log } = setUp();
    for (const controller of ['a', 'b']) {
      const child = log.child({ controller });
      for (let time = 0; time < 3; time += 1) child.error({ error }, 'm');
    }
    expect(lines.filter((line) => !line.includes('times'))).toHaveLength(2);
  });

  it('leaves debug lines alone', () => {
    const { lines, log } = setUp();
    for (let time = 0; time < 5; time += 1) log.debug({ error }, 'm');
    expect(lines).toHaveLength(5);
  });
});
