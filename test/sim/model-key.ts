const numbers = new WeakMap<object, number>();
const numbersOfTexts = new Map<string, number>();

const numberOfText = (text: string): number => {
  const number = numbersOfTexts.get(text) ?? numbersOfTexts.size;
  numbersOfTexts.set(text, number);
  return number;
};

const numberOf = (value: object): number => {
  const number = numbers.get(value) ?? numberOfText(keyOf(value));
  numbers.set(value, number);
  return number;
};

const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? `#${numberOf(value)}` : (JSON.stringify(value) ?? '');

/**
 * A text that is equal for equal JSON values. Every object in the value is replaced by a number, so the text is short: states
 * share most of their parts.
 *
 * @param value - never changed
 */
export const keyOf = (value: object): string =>
  Array.isArray(value)
    ? `[${value.map(textOf).join()}]`
    : Object.entries(value)
        .map(([name, member]) => `${name}:${textOf(member)}`)
        .join();

/** Whether two JSON values are equal. */
export const isSame = (a: unknown, b: unknown): boolean => a === b || textOf(a) === textOf(b);
