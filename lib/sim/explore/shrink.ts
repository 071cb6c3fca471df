/** Options for {@link shrinkList}. */
export interface ShrinkOptions<Item> {
  /** Whether a shorter list still fails. The function must be deterministic. */
  readonly fails: (items: readonly Item[]) => Promise<boolean>;
  /** Whether another call of `fails` is allowed. */
  readonly mayTry: () => boolean;
}

const without = <Item>(items: readonly Item[], from: number, count: number): readonly Item[] => [
  ...items.slice(0, from),
  ...items.slice(from + count),
];

/**
 * Removes groups of consecutive items, all of one size, beginning at the end of the list. Late steps can depend on early steps,
 * so an early step is often unnecessary once the late steps are gone.
 */
const dropChunks = async <Item>(
  items: readonly Item[],
  size: number,
  { fails, mayTry }: ShrinkOptions<Item>,
): Promise<readonly Item[]> => {
  let kept = items;
  for (let from = Math.floor((items.length - 1) / size) * size; from >= 0 && mayTry(); from -= size) {
    const shorter = without(kept, from, size);
    if (await fails(shorter)) kept = shorter;
  }
  return kept;
};

/**
 * Removes items from a list while the list still fails: first all items at once, then groups, then single items.
 *
 * @returns a list from which no single item can be removed, unless the search reached its limit of tries
 * @see Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing Input, 2002 (`ddmin`, complements only)
 */
export const shrinkList = async <Item>(
  items: readonly Item[],
  options: ShrinkOptions<Item>,
): Promise<readonly Item[]> => {
  if (items.length === 0 || !options.mayTry()) return items;
  if (await options.fails([])) return [];
  let kept = items;
  for (let size = Math.ceil(kept.length / 2); size > 1; size = Math.ceil(size / 2)) {
    kept = await dropChunks(kept, size, options);
    size = Math.min(size, kept.length);
  }
  for (let length = Infinity; kept.length < length && options.mayTry(); ) {
    length = kept.length;
    kept = await dropChunks(kept, 1, options);
  }
  return kept;
};
