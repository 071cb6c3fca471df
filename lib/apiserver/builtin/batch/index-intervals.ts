import { goQuote } from '#lib/apiserver/machinery/text/go-text.ts';

type IndexInterval = readonly [first: number, last: number];

/** The result of parsing a text such as `0,3-5`, or the reason why the text is malformed. */
type Parsed<T> = { readonly value: T } | { readonly problem: string };

const parseIndex = (text: string, completions: number): Parsed<number> => {
  if (!/^\+?\d+$/.test(text)) return { problem: `cannot convert string to integer for index: ${goQuote(text)}` };
  const index = Number(text);
  return index >= completions ? { problem: `too large index: ${goQuote(text)}` } : { value: index };
};

const notIncreasing = (previous: number, current: number): { readonly problem: string } => ({
  problem: `non-increasing order, previous: ${previous}, current: ${current}`,
});

const parseInterval = (text: string, completions: number): Parsed<IndexInterval> => {
  const limits = text.split('-');
  if (limits.length > 2) {
    const rule = "violates the requirement that an index interval can have at most two parts separated by '-'";
    return { problem: `the fragment ${goQuote(text)} ${rule}` };
  }
  const first = parseIndex(limits[0] ?? '', completions);
  if ('problem' in first) return first;
  if (limits.length === 1) return { value: [first.value, first.value] };
  const last = parseIndex(limits[1] ?? '', completions);
  if ('problem' in last) return last;
  return first.value >= last.value ? notIncreasing(first.value, last.value) : { value: [first.value, last.value] };
};

/**
 * Counts the indexes in a text such as `0,3-5`. If the text is malformed, returns the reason.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/batch/validation/validation.go (`validateIndexesFormat`)
 */
export const countIndexes = (text: string, completions: number): Parsed<number> => {
  let [total, lastIndex] = [0, -1];
  for (const part of text === '' ? [] : text.split(',')) {
    const interval = parseInterval(part, completions);
    if ('problem' in interval) return interval;
    const [first, last] = interval.value;
    if (lastIndex >= first) return notIncreasing(lastIndex, first);
    total += last - first + 1;
    lastIndex = last;
  }
  return { value: total };
};

const intervalsIn = (text: string, completions: number): readonly IndexInterval[] =>
  (text === '' ? [] : text.split(',')).flatMap((part) => {
    const interval = parseInterval(part, completions);
    return 'value' in interval ? [interval.value] : [];
  });

/**
 * Returns an index that two texts have in common, or undefined. Malformed intervals are ignored.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/batch/validation/validation.go (`validateFailedIndexesNotOverlapCompleted`)
 */
export const commonIndex = (
  { completed, failed }: { readonly completed: string; readonly failed: string },
  completions: number,
): number | undefined => {
  const [left, right] = [intervalsIn(completed, completions), intervalsIn(failed, completions)];
  let [i, j] = [0, 0];
  for (;;) {
    const [a, b] = [left[i], right[j]];
    if (a === undefined || b === undefined) return undefined;
    if (a[0] <= b[1] && b[0] <= a[1]) return Math.max(a[0], b[0]);
    if (a[0] <= b[0]) i += 1;
    else j += 1;
  }
};
