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
});
