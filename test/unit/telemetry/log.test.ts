import { describe, expect, it } from 'vitest';
import { ApiError, ConfigurationError } from '#lib/errors.ts';
import { logLevelOf } from '#lib/telemetry/log.ts';
import { capturedLog } from '#test/unit/support/captured-log.ts';

describe('logLevelOf()', () => {
  it.each([
    { text: undefined, level: 'info', reason: 'nothing is set' },
    { text: '', level: 'info', reason: 'an empty variable means that nothing is set' },
    { text: 'debug', level: 'debug', reason: 'it is a level' },
    { text: 'warn', level: 'warn', reason: 'it is a level' },
    { text: 'error', level: 'error', reason: 'it is a level' },
    { text: 'silent', level: 'silent', reason: 'nothing is to be written' },
  ])('logLevelOf() is $level when $reason', ({ text, level }) => {
    expect(logLevelOf(text)).toBe(level);
  });

  it.each([
    { text: 'DEBUG', reason: 'case counts' },
    { text: 'verbose', reason: 'it is no level' },
    { text: ' info', reason: 'blanks count' },
    { text: '30', reason: 'numbers are no levels' },
    { text: 'toString', reason: 'it is a property of every object' },
  ])('logLevelOf() throws ConfigurationError when it is given "$text" ($reason)', ({ text }) => {
    expect(() => logLevelOf(text)).toThrow(ConfigurationError);
  });
});

/** The single logged line. */
const lineOf = (lines: readonly string[]): Record<string, unknown> => {
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] ?? '') as Record<string, unknown>;
};

describe('createLogger()', () => {
  it('createLogger() writes JSON with level, time, message and fields, and nothing of the machine', () => {
    const { log, lines } = capturedLog();
    log.info({ key: 'default/web' }, 'child written');
    const { time, ...rest } = lineOf(lines);
    expect(rest).toEqual({ level: 'info', key: 'default/web', msg: 'child written' });
    expect(time).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
  });

  it('createLogger() leaves out what is below its level', () => {
    const { log, lines } = capturedLog('warn');
    log.debug({}, 'a');
    log.info({}, 'b');
    log.warn({}, 'c');
    log.error({}, 'd');
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(['c', 'd']);
  });

  it('createLogger() writes name, code and message of an error, in children, too', () => {
    const { log, lines } = capturedLog();
    const error = new ApiError('create pods', { httpStatus: 403, reason: 'Forbidden', message: 'no' });
    log.child({ kind: 'PodSet' }).error({ error }, 'pass failed');
    expect(lineOf(lines)).toMatchObject({
      kind: 'PodSet',
      error: { name: 'ApiError', code: 'Forbidden', message: 'Cannot create pods: no (403 Forbidden)' },
    });
  });

  it('createLogger() writes no stack of an error that was thrown on purpose', () => {
    const { log, lines } = capturedLog();
    log.error({ error: new ConfigurationError('no kubeconfig') }, 'start failed');
    expect(lineOf(lines)['error']).toEqual({
      name: 'ConfigurationError',
      code: 'Configuration',
      message: 'no kubeconfig',
    });
  });

  it('createLogger() writes neither cause nor what else clings to an error, and of the stack only frames', () => {
    const { log, lines } = capturedLog();
    const cause = Object.assign(new Error('inner'), { config: { headers: { authorization: 'Bearer s3cr3t' } } });
    const error = Object.assign(new Error('outer', { cause }), {
      headers: { authorization: 'Bearer s3cr3t' },
      request: { headers: { Authorization: 'Bearer s3cr3t' } },
      response: { body: 's3cr3t' },
    });
    log.error({ error }, 'pass failed');
    expect(lines[0]).not.toContain('s3cr3t');
    expect(lineOf(lines)['error']).toEqual({ name: 'Error', message: 'outer', stack: expect.any(Array) });
    const { stack } = lineOf(lines)['error'] as { stack: string[] };
    expect(stack.every((frame) => frame.startsWith('at '))).toBe(true);
  });

  it.each([{ thrown: 'a string' }, { thrown: 42 }, { thrown: undefined }, { thrown: {} }])(
    'createLogger() writes a line when $thrown was thrown',
    ({ thrown }) => {
      const { log, lines } = capturedLog();
      log.error({ error: thrown }, 'desired failed');
      expect(lineOf(lines)).toMatchObject({ msg: 'desired failed' });
    },
  );

  it('createLogger() writes a line when null was thrown', () => {
    const { log, lines } = capturedLog();
    log.error({ error: null }, 'desired failed');
    expect(lineOf(lines)).toMatchObject({ msg: 'desired failed' });
  });

  it('createLogger() says what was thrown when it was a string', () => {
    const { log, lines } = capturedLog();
    log.error({ error: 'quota is used up' }, 'desired failed');
    expect(lines[0]).toContain('quota is used up');
  });
});
