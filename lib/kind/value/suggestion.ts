/** The maximum distance between a name and its misspelling. Names with a larger distance are different words. */
const MAX_DISTANCE = 2;

const distance = (a: string, b: string): number => {
  let previous = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [i, letter] of Array.from(a).entries()) {
    const row = [i + 1];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (previous[j - 1] ?? 0) + (letter === b[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
};

/**
 * Returns the candidate that a mistyped name probably meant. Upper and lower case do not matter. The candidate is at most two
 * edits away, and has at least two letters for each edit. A candidate of one letter may be one edit away.
 *
 * @param name - the mistyped name
 * @param candidates - the valid names
 * @returns the nearest candidate; undefined if no candidate is similar
 */
export const tryNearest = (name: string, candidates: readonly string[]): string | undefined => {
  const ranked = candidates
    .map((candidate) => ({ candidate, edits: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= MAX_DISTANCE && edits * 2 <= Math.max(candidate.length, 2))
    .toSorted((a, b) => a.edits - b.edits);
  return ranked[0]?.candidate;
};
