import type { ResourceRuns } from './simulate-runs.ts';

/** Maximum number of bars. If there are more values, a bar stands for several values. */
const MOST_BARS = 40;

/** A bar of a histogram: the number of runs whose fewest ready pods are within a range. */
export interface HistogramBar {
  /** The range in words, such as `9`, or `9–12`. */
  readonly label: string;
  readonly runs: number;
}

/** The bars of a histogram, in ascending order. Bars of values without runs are included. */
export const histogramBars = ({ histogram }: Pick<ResourceRuns, 'histogram'>): readonly HistogramBar[] => {
  const [first, last] = [histogram[0]?.ready ?? 0, histogram.at(-1)?.ready ?? -1];
  const width = Math.max(1, Math.ceil((last - first + 1) / MOST_BARS));
  const count = Math.ceil((last - first + 1) / width);
  return Array.from({ length: count }, (_, place) => {
    const from = first + place * width;
    const to = Math.min(last, from + width - 1);
    const own = histogram.filter(({ ready }) => ready >= from && ready <= to);
    const label = from === to ? String(from) : `${from}–${to}`;
    return { label, runs: own.reduce((sum, { runs }) => sum + runs, 0) };
  });
};
