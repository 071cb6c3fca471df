import { describe, expect, it } from 'vitest';
import { parseCronSchedule } from '#lib/apiserver/builtin/batch/cron-schedule.ts';

describe('parseCronSchedule()', () => {
  it.each([
    ['*', true],
    ['?', true],
    ['*/1', true],
    ['5,*', true],
    ['*/2', false],
    ['0-59', false],
    ['0-59/1', false],
    ['5', false],
  ])('parseCronSchedule() finds out whether the field %s is any', (field, isAny) => {
    expect(parseCronSchedule(`${field} * * * *`)).toMatchObject({ minute: { isAny } });
  });

  it.each([
    ['', 'empty spec string'],
    [' ', 'expected exactly 5 fields, found 0: []'],
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['@often', 'unrecognized descriptor: @often'],
  ])('parseCronSchedule() returns the reason of the real server when it refuses the text "%s"', (text, reason) => {
    expect(parseCronSchedule(text)).toBe(reason);
  });
});
