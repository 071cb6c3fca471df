import type { Ground } from '../ground/ground.ts';
import type { Options } from '../options.ts';

/**
 * How a result relates to its goal. `note`: there is no goal at this size, the figure is shown for information;
 * `unsteady`: the floor itself varied too much to judge.
 */
export type Verdict = 'met' | 'missed' | 'note' | 'unsteady';

/** One line of the report. */
export interface Row {
  readonly id: string;
  /** What was measured, in words. */
  readonly measure: string;
  readonly goal: string;
  readonly result: string;
  readonly verdict: Verdict;
  /** By how much the goal was missed; only with `missed`. */
  readonly missedBy?: string;
  /** The number that is compared with the last committed one; absent for rows that are not compared. */
  readonly headline?: number;
  /** The numbers behind the result. */
  readonly figures: Readonly<Record<string, unknown>>;
}

/** The id of rows that divide P6b among the layers of the operator. */
export const LAYER_ID = 'LAYER';

/** What a measure may use. */
export interface MeasureInput {
  readonly options: Options;
  readonly ground: Ground;
  /** Prints what is being measured. */
  readonly progress: (text: string) => void;
}

/** A measure that needs a control plane. */
export type PlaneMeasure = (input: MeasureInput) => Promise<readonly Row[]>;

/** Compares a number with a goal that it must not exceed. */
export const atMost = (value: number, goal: number): Pick<Row, 'verdict' | 'missedBy'> =>
  value <= goal ? { verdict: 'met' } : { verdict: 'missed', missedBy: missedBy(value - goal, goal) };

/** Compares a number with a goal that it must reach. */
export const atLeast = (value: number, goal: number): Pick<Row, 'verdict' | 'missedBy'> =>
  value >= goal ? { verdict: 'met' } : { verdict: 'missed', missedBy: missedBy(goal - value, goal) };

/** Compares an exact count: a lower count is as wrong as a higher one. */
export const exactly = (isAsAgreed: boolean, difference: number): Pick<Row, 'verdict' | 'missedBy'> =>
  isAsAgreed ? { verdict: 'met' } : { verdict: 'missed', missedBy: `${signed(difference)} requests` };

const missedBy = (distance: number, goal: number): string =>
  goal === 0 ? rounded(distance) : `${rounded(distance)} (${Math.round((distance / goal) * 100)} %)`;

const signed = (value: number): string => (value > 0 ? `+${value}` : String(value));

/** Rounds to three significant digits: a ratio is not more accurate than that. */
export const rounded = (value: number): string =>
  Math.abs(value) >= 1000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));

/** A percentile by the nearest rank. @param share 0 to 1 */
export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(share * values.length) - 1)] ?? Number.NaN;

/** The arithmetic mean of at least one value. */
export const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
