/** The nodes with an endless path, found by repeated removal of the nodes from which every path ends. */
const endless = (ways: readonly (readonly number[])[]): ReadonlySet<number> => {
  const open = ways.map((next) => new Set(next).size);
  const before: number[][] = ways.map(() => []);
  ways.forEach((next, index) => new Set(next).forEach((to) => before[to]?.push(index)));
  const done = open.flatMap((count, index) => (count === 0 ? [index] : []));
  const left = new Set(ways.keys());
  for (let at = done.pop(); at !== undefined; at = done.pop()) {
    left.delete(at);
    for (const index of before[at] ?? []) {
      open[index] = (open[index] ?? 0) - 1;
      if (open[index] === 0) done.push(index);
    }
  }
  return left;
};

/**
 * An endless path, if there is one: from the first node that leads to a cycle, once through it.
 *
 * @param ways - for each node its successors
 */
export const circleIn = (ways: readonly (readonly number[])[]): readonly number[] | undefined => {
  const left = endless(ways);
  const [entry] = left;
  if (entry === undefined) return undefined;
  const path = [entry];
  const passed = new Set(path);
  for (;;) {
    const next = ways[path.at(-1) ?? entry]?.find((to) => left.has(to)) ?? entry;
    path.push(next);
    if (passed.has(next)) return path;
    passed.add(next);
  }
};
