/**
 * A number of things in words, such as `1 step` or `2 objects are hidden`.
 *
 * @param count - the number
 * @param noun - the singular; its plural ends with `s`
 * @param verb - the end of a sentence, with a space before it: it is added after `is` or `are`. @default only number and noun
 */
export const countText = (count: number, noun: string, verb = ''): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}${verb === '' ? '' : count === 1 ? ' is' : ' are'}${verb}`;
