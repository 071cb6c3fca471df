/** Indexes of pods as ordered intervals. Two intervals have at least one index between them. */
export type Intervals = readonly (readonly [first: number, last: number])[];

/** Returns the union of two lists of intervals. */
export const mergeIntervals = (a: Intervals, b: Intervals): Intervals => {
  const result: [number, number][] = [];
  for (const [first, last] of [...a, ...b].toSorted((x, y) => x[0] - y[0])) {
    const previous = result.at(-1);
    if (previous === undefined || first > previous[1] + 1) result.push([first, last]);
    else previous[1] = Math.max(previous[1], last);
  }
  return result;
};

/** Returns the intervals with additional indexes, which may be in any order. */
export const withIndexes = (intervals: Intervals, indexes: Iterable<number>): Intervals =>
  mergeIntervals(
    intervals,
    [...indexes].map((index) => [index, index] as const),
  );

/** The number of indexes in the intervals. */
export const totalOf = (intervals: Intervals): number =>
  intervals.reduce((total, [first, last]) => total + last - first + 1, 0);

/** Whether an index is in the intervals. */
export const includesIndex = (intervals: Intervals, index: number): boolean =>
  intervals.some(([first, last]) => first <= index && index <= last);

/** Intervals as text: `0,2,4-6`. */
export const intervalsText = (intervals: Intervals): string =>
  intervals
    .map(([first, last]) => {
      if (last === first) return String(first);
      return last === first + 1 ? `${first},${last}` : `${first}-${last}`;
    })
    .join(',');

/**
 * Parses intervals. Ignores invalid parts, and indexes that are not below `completions`. Stops at the first part that begins at
 * `completions` or above.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/job/indexed_job_utils.go (`parseIndexesFromString`)
 */
export const parseIntervals = (text: string, completions: number): Intervals => {
  const intervals: (readonly [number, number])[] = [];
  for (const part of text === '' ? [] : text.split(',')) {
    const [firstText = '', lastText = firstText] = part.split('-');
    const [first, last] = [Number(firstText), Number(lastText)];
    if (!/^\d+$/.test(firstText) || !/^\d+$/.test(lastText)) continue;
    if (first >= completions) break;
    intervals.push([first, Math.min(last, completions - 1)]);
  }
  return mergeIntervals(intervals, []);
};

/** The lowest indexes below `completions` that are not in the intervals, at most `count`. */
export const firstGaps = (
  intervals: Intervals,
  { count, completions }: { readonly count: number; readonly completions: number },
): readonly number[] => {
  const result: number[] = [];
  let candidate = 0;
  for (const [first, last] of [...intervals, [completions, completions] as const]) {
    for (; candidate < Math.min(first, completions) && result.length < count; candidate += 1) result.push(candidate);
    candidate = Math.max(candidate, last + 1);
  }
  return result;
};

/** The number of indexes that two lists have in common. */
export const overlapOf = (a: Intervals, b: Intervals): number =>
  a.reduce(
    (total, [first, last]) =>
      total + b.reduce((sum, [from, to]) => sum + Math.max(0, Math.min(last, to) - Math.max(first, from) + 1), 0),
    0,
  );
