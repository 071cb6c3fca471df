/** The maximum number of names for which an insertion sort takes less time and memory than `toSorted`. */
const FEW = 32;

const insertionSorted = (names: string[]): string[] => {
  for (let end = 1; end < names.length; end += 1) {
    const name = names[end] as string;
    let at = end;
    for (; at > 0 && (names[at - 1] as string) > name; at -= 1) names[at] = names[at - 1] as string;
    names[at] = name;
  }
  return names;
};

/**
 * The names of the own members of an object, in code-unit order. The order does not depend on the locale of the machine.
 *
 * The function is optimized for objects with few members, because intents are sorted in every pass.
 */
export const sortedNames = (object: object): string[] => {
  const names = Object.keys(object);
  // Without a comparator, texts are compared by code units.
  return names.length <= FEW ? insertionSorted(names) : names.toSorted();
};
