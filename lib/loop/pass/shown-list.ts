const NAMED = 3;

/** Formats names for a short message: the first three names, and the number of the others. */
export const shownList = (names: readonly string[]): string =>
  [...names.slice(0, NAMED), ...(names.length > NAMED ? [`${names.length - NAMED} more`] : [])].join(', ');
