import { ConfigurationError } from '#lib/errors.ts';

/** The events that an operator writes: all events, only warnings, or none. */
export const EVENTS_SETTINGS = ['all', 'warnings', 'off'] as const;

/** One of {@link EVENTS_SETTINGS}. */
export type EventsSetting = (typeof EVENTS_SETTINGS)[number];

const isEventsSetting = (value: unknown): value is EventsSetting =>
  EVENTS_SETTINGS.some((setting) => setting === value);

/**
 * Reads the setting of events.
 *
 * @param env - the variable `EVENTS`; an empty value counts as absent
 * @param option - the option of the program, which takes precedence over the variable
 * @returns the setting. @default `all`
 * @throws {ConfigurationError} for any other value
 */
export const eventsSettingOf = (
  env: Readonly<Record<string, string | undefined>>,
  option?: EventsSetting,
): EventsSetting => {
  const value = option ?? (env['EVENTS'] || 'all');
  if (isEventsSetting(value)) return value;
  const name = option === undefined ? 'EVENTS' : 'events';
  throw new ConfigurationError(`${name} is ${JSON.stringify(value)}: set it to one of ${EVENTS_SETTINGS.join(', ')}`);
};
