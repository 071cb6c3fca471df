import { describe, expect, it } from 'vitest';
import { eventsSettingOf } from '#lib/desired/settings/events-setting.ts';
import { TUNING, TUNING_NAMES, tuningOf } from '#lib/desired/settings/tuning.ts';
import { ConfigurationError } from '#lib/errors.ts';

describe('tuningOf()', () => {
  it('tuningOf() holds nothing when nothing is set, and what the program says before what the environment says', () => {
    expect(tuningOf({ CONCURRENCY: '' })).toEqual({});
    expect(tuningOf({ CONCURRENCY: '4', CONNECTIONS: '8' }, { concurrency: 2 })).toEqual({
      concurrency: 2,
      connections: 8,
    });
  });

  it.each(TUNING_NAMES)('tuningOf() takes the bounds of %s', (name) => {
    const { variable, min, max } = TUNING[name];
    expect(tuningOf({ [variable]: `${min}` })).toEqual({ [name]: min });
    expect(tuningOf({}, { [name]: max })).toEqual({ [name]: max });
  });

  it.each(
    TUNING_NAMES.flatMap((name) =>
      ['nonsense', '-1', '1e2', '0x10', '1.5', ' 16', `${TUNING[name].min - 1}`, `${TUNING[name].max + 1}`].map(
        (text) => ({
          name,
          text,
        }),
      ),
    ),
  )('tuningOf() refuses $text for $name in one line that says what is allowed', ({ name, text }) => {
    const { variable, min, max, zero } = TUNING[name];
    const allowed = `${zero ? `0 (${zero}) or ` : ''}a whole number from ${min} to ${max}`;
    expect(() => tuningOf({ [variable]: text })).toThrow(
      new ConfigurationError(`${variable} is "${text}": set it to ${allowed}`),
    );
  });

  it.each([0, -1, 1.5, Number.NaN, Infinity, '16' as never, null as never])(
    'tuningOf() refuses %j that the program says, and names the option',
    (concurrency) => {
      const shown = typeof concurrency === 'string' ? '"16"' : String(concurrency);
      const said = `concurrency is ${shown}: set it to a whole number from 1 to 256`;
      expect(() => tuningOf({ CONCURRENCY: '4' }, { concurrency })).toThrow(new ConfigurationError(said));
    },
  );
});

describe('eventsSettingOf()', () => {
  it('eventsSettingOf() is all by default, and goes by the program before the environment', () => {
    expect([eventsSettingOf({}), eventsSettingOf({ EVENTS: '' })]).toEqual(['all', 'all']);
    expect(eventsSettingOf({ EVENTS: 'off' })).toBe('off');
    expect(eventsSettingOf({ EVENTS: 'off' }, 'warnings')).toBe('warnings');
  });

  it('eventsSettingOf() refuses other words in one line', () => {
    expect(() => eventsSettingOf({ EVENTS: 'none' })).toThrow(
      new ConfigurationError('EVENTS is "none": set it to one of all, warnings, off'),
    );
    expect(() => eventsSettingOf({}, 'on' as never)).toThrow(
      new ConfigurationError('events is "on": set it to one of all, warnings, off'),
    );
  });
});
