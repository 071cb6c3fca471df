import { InvariantError } from '#lib/errors.ts';

/**
 * An absolute point in time, as RFC 3339. {@link instantOf} writes UTC with microseconds, as in `2026-11-21T09:30:00.000000Z`;
 * the times of conditions have whole seconds.
 */
export type Instant = string;

/** The clock that a desired-state function uses. */
export interface Clock {
  /**
   * Whether the instant `at` has come. If not, the loop starts a pass at the earliest requested instant.
   *
   * @param at - RFC 3339 with or without fraction
   * @throws {TypeError} when `at` cannot be parsed
   */
  reached(at: Instant): boolean;
  /**
   * The current instant, for values to be stored. For decisions, use {@link Clock.reached}, because the loop then calls the
   * function again when the instant has come.
   */
  now(): Instant;
}

/** The clock of one pass, and the earliest instant for which the loop must start another pass. */
export interface PassClock {
  readonly clock: Clock;
  /** The time of the clock, in epoch microseconds. */
  readonly nowMicros: number;
  /** @returns the earliest requested instant, in epoch microseconds; undefined if none was requested */
  awaited(): number | undefined;
  /** Adds an instant for which the loop itself needs another pass, in epoch microseconds. */
  expect(micros: number): void;
}

const MICROS_PER_MILLI = 1000;
const MICROS_PER_SECOND = 1_000_000;
const rfc3339 = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/;

/** Every month has the days before the 29th. */
const isOnEveryCalendar = /^.{8}(?:[01]\d|2[0-8])T(?!24)/;

/** Whether a date exists. `Date.parse` accepts February 30 and hour 24 as a later day, which RFC 3339 does not allow. */
const isOnCalendar = (local: string): boolean =>
  isOnEveryCalendar.test(local) || new Date(`${local}Z`).toISOString().startsWith(local);

/**
 * Parses an instant with up to nine fraction digits. Digits beyond microseconds are cut.
 *
 * @param at - RFC 3339
 * @returns epoch microseconds; exact until the year 2255
 * @throws {TypeError} when `at` is not RFC 3339
 */
export const microsOf = (at: Instant): number => {
  const match = rfc3339.exec(at);
  const millis = match === null ? Number.NaN : Date.parse(`${match[1]}${match[3]}`);
  if (match === null || Number.isNaN(millis) || !isOnCalendar(match[1] ?? '')) {
    throw new TypeError(`Cannot parse instant ${JSON.stringify(at)}: expected RFC 3339, such as 2026-11-21T09:30:00Z`);
  }
  return millis * MICROS_PER_MILLI + Number((match[2] ?? '').padEnd(6, '0').slice(0, 6));
};

/**
 * Formats an instant as this library stores it.
 *
 * @param micros - epoch microseconds, an integer
 * @returns RFC 3339, UTC, six fraction digits
 */
export const instantOf = (micros: number): Instant => {
  const millis = Math.floor(micros / MICROS_PER_MILLI);
  const rest = String(micros - millis * MICROS_PER_MILLI).padStart(3, '0');
  return `${new Date(millis).toISOString().slice(0, -1)}${rest}Z`;
};

/**
 * The instant that is a number of seconds after another instant, such as the end of a delay.
 *
 * @param seconds - rounded to the microsecond; a negative number gives an earlier instant
 * @throws {TypeError} when `at` is not RFC 3339
 * @throws {RangeError} when `seconds` is not finite, or the result is outside the range of dates
 * @example
 * after('2026-11-21T09:30:00Z', 90); // '2026-11-21T09:31:30.000000Z'
 */
export const after = (at: Instant, seconds: number): Instant =>
  instantOf(microsOf(at) + Math.round(seconds * MICROS_PER_SECOND));

/**
 * The seconds from one instant to another, with fractions; negative when the second instant is earlier.
 *
 * @throws {TypeError} when one of the instants is not RFC 3339
 * @example
 * secondsBetween('2026-11-21T09:30:00Z', '2026-11-21T09:31:30Z'); // 90
 */
export const secondsBetween = (from: Instant, to: Instant): number =>
  (microsOf(to) - microsOf(from)) / MICROS_PER_SECOND;

/**
 * Makes the clock of one pass. The clock does not advance, and records the earliest requested instant.
 *
 * @param nowMicros - epoch microseconds, an integer
 * @throws {InvariantError} when `nowMicros` is not a safe integer
 * @example
 * const { clock, awaited } = passClock(microsOf('2026-11-21T09:30:00Z'));
 * clock.reached('2026-11-21T09:31:00Z'); // false; awaited() is now that instant
 */
export const passClock = (nowMicros: number): PassClock => {
  if (!Number.isSafeInteger(nowMicros)) throw new InvariantError(`Clock set to ${nowMicros}: expected an integer`);
  let earliest: number | undefined;
  const expect = (micros: number): void => {
    earliest = Math.min(earliest ?? micros, micros);
  };
  const reached = (at: Instant): boolean => {
    const micros = microsOf(at);
    if (micros <= nowMicros) return true;
    expect(micros);
    return false;
  };
  const now = (): Instant => instantOf(nowMicros);
  const clock = Object.freeze({ reached, now });
  return { clock, nowMicros, awaited: () => earliest, expect };
};
