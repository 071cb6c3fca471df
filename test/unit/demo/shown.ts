/** The line that stands for any number of lines. */
const ANYTHING = '…';

/**
 * Replaces parts that differ from run to run: times at the beginning of a line, ages, ends of names of pods, which
 * follow from uids, and the width of columns.
 */
const still = (line: string): string =>
  line
    .replace(/^ *\d+\.\d s /, 'at ')
    .replaceAll(/\b(?:\d+[dhms])+(?= |$)/g, 'age')
    .replaceAll(/(?<=\bPod[ /][a-z-]+)-[b-df-hj-np-tv-xz2-9]{5}\b/g, '-pod')
    .replaceAll(/ {2,}/g, '  ')
    .trimEnd();

/**
 * Compares the output on a page with the actual output. A line `…` of the page stands for any number of lines.
 *
 * @returns the first line of the page that is missing in the output at its place; undefined when there is none
 */
export const missingLine = (shown: readonly string[], printed: string): string | undefined => {
  const lines = printed.trimEnd().split('\n').map(still);
  let next = 0;
  let isLoose = false;
  for (const line of shown) {
    if (line.trim() === ANYTHING) {
      isLoose = true;
      continue;
    }
    const found = isLoose ? lines.indexOf(still(line), next) : next;
    if (found < 0 || lines[found] !== still(line)) return line;
    next = found + 1;
    isLoose = false;
  }
  return isLoose || next === lines.length ? undefined : `the end, where ${JSON.stringify(lines[next])} was printed`;
};
