/** How many names a message has; the rest is counted. */
const NAMED = 3;

/** Names for a message that stays short: the first three, and how many more there are. */
export const shownList = (names: readonly string[]): string =>
  [...names.slice(0, NAMED), ...(names.length > NAMED ? [`${names.length - NAMED} more`] : [])].join(', ');
