/** A bound in a spec: an integer, or a decimal number as text, because the API conventions exclude floats. */
export type Bound = number | string;

/** Inclusive bounds of a value; an absent bound is open. */
export interface ValueBounds {
  readonly min?: Bound | undefined;
  readonly max?: Bound | undefined;
}

/** Digits before and after the point of a textual bound. */
export const BOUND_PATTERN = '^-?[0-9]{1,15}([.][0-9]{1,9})?$';

/** The maximum length of a textual bound: a sign, 15 digits, a point and 9 digits. */
export const BOUND_LENGTH = 26;

/**
 * Whether a value is within bounds, inclusive.
 *
 * Both sides are rounded to the nearest double, as Prometheus does, so that `0.99` equals `0.99`.
 */
export const isWithin = (value: number, { min, max }: ValueBounds): boolean =>
  (min === undefined || value >= Number(min)) && (max === undefined || value <= Number(max));

/** Bounds in words: `at least 0.99`, `at most 5`, `from 1 to 5`. */
export const describeBounds = ({ min, max }: ValueBounds): string => {
  if (min === undefined) return max === undefined ? 'anything' : `at most ${max}`;
  return max === undefined ? `at least ${min}` : `from ${min} to ${max}`;
};
