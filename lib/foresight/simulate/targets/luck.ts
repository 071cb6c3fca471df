import { fnv32a } from '#lib/apiserver/machinery/text/names.ts';

/** A pseudorandom number from 0 up to but not including 1. The number depends only on the given text. */
export const luckOf = (text: string): number => fnv32a(text) / 2 ** 32;

/**
 * Selects the first elements of a list, or random elements in the order of the list. Equal texts select equal elements.
 *
 * @param all - the list
 * @param count - how many elements to select
 * @param luck - the text that the selection depends on; undefined selects the first elements
 */
export const drawn = <T>(
  all: readonly T[],
  { count, luck }: { readonly count: number; readonly luck: string | undefined },
): readonly T[] => {
  if (luck === undefined) return all.slice(0, count);
  const places = all.map((_, place) => ({ place, order: luckOf(`${luck} ${place}`) }));
  const chosen = new Set(
    places
      .toSorted((a, b) => a.order - b.order)
      .slice(0, count)
      .map(({ place }) => place),
  );
  return all.filter((_, place) => chosen.has(place));
};
