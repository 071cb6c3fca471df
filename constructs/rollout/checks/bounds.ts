/** A bound in a spec: an integer, or a decimal number as text. The API conventions exclude floats. */
export type Bound = number | string;

/** The lowest and the highest allowed value. An absent bound does not limit the value. */
export interface ValueBounds {
  readonly min?: Bound | undefined;
  readonly max?: Bound | undefined;
}

/** The format of a bound as text, with at most 15 digits before the decimal point and 9 digits after it. */
export const BOUND_PATTERN = '^-?[0-9]{1,15}([.][0-9]{1,9})?$';

/** The maximum length of a bound as text: a sign, 15 digits, a decimal point and 9 digits. */
export const BOUND_LENGTH = 26;

/**
 * Whether a value is within bounds, inclusive.
 *
 * The value and the bounds are rounded to the nearest double, as in Prometheus. A bound `'0.99'` therefore equals a value of
 * 0.99.
 */
export const isWithin = (value: number, { min, max }: ValueBounds): boolean =>
  (min === undefined || value >= Number(min)) && (max === undefined || value <= Number(max));

/** Describes bounds as text: `at least 0.99`, `at most 5`, `from 1 to 5`. */
export const describeBounds = ({ min, max }: ValueBounds): string => {
  if (min === undefined) return max === undefined ? 'anything' : `at most ${max}`;
  return max === undefined ? `at least ${min}` : `from ${min} to ${max}`;
};
