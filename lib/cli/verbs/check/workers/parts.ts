import type { CheckOptions, CheckReport } from '#lib/foresight/check/check.ts';
import type { CheckInputs } from '../inputs.ts';

/** The limits of a check, or of a part of it. */
export type CheckLimits = Required<Pick<CheckOptions, 'seed' | 'schedules' | 'states'>>;

/** A message to a process: first the inputs of the check, then one part after the other. */
export type PartMessage = CheckOrder | { readonly part: CheckLimits };

/** The check of which a process runs parts. */
export interface CheckOrder {
  readonly inputs: CheckInputs;
  readonly cwd: string;
  /** The time after which no schedule starts, in epoch milliseconds. @default never */
  readonly endsAtMs?: number | undefined;
}

/** The answer to a part. Without a report, the check failed with an error. */
export interface PartAnswer {
  readonly report?: CheckReport;
}

/** With several ranges of seeds for each process, no process waits long for the others. */
const RANGES_PER_WORKER = 4;

/** A failure in one range waits at most for the rest of the earlier ranges. */
const MAX_RANGE = 50;

/**
 * Divides a check into parts: the search, and ranges of seeds. The reports of the parts, in order, are together the report of the
 * whole check.
 *
 * @param workers - the number of processes, at least 1
 */
export const checkPartsOf = ({ seed, schedules, states }: CheckLimits, workers: number): readonly CheckLimits[] => {
  const size = Math.max(1, Math.min(MAX_RANGE, Math.ceil(schedules / (workers * RANGES_PER_WORKER))));
  const starts = Array.from({ length: Math.ceil(schedules / size) }, (_, index) => index * size);
  const ranges = starts.map((start) => ({
    seed: seed + start,
    schedules: Math.min(size, schedules - start),
    states: 0,
  }));
  return states > 0 || ranges.length === 0 ? [{ seed, schedules: 0, states }, ...ranges] : ranges;
};
