/** A JSON object of unknown shape. */
export type JsonRecord = Readonly<Record<string, unknown>>;

const isJson = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The value at a path of an object; undefined when it is missing.
 *
 * @example
 * at(pod, 'status', 'phase');
 */
export const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((inside, member) => (isJson(inside) ? inside[member] : undefined), value);

/** The string at a path; undefined for values that are not strings. */
export const textAt = (value: unknown, ...path: readonly string[]): string | undefined => {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : undefined;
};

/** The number at a path; undefined for values that are not numbers. */
export const numberAt = (value: unknown, ...path: readonly string[]): number | undefined => {
  const found = at(value, ...path);
  return typeof found === 'number' ? found : undefined;
};

/** The objects in the list at a path; empty if there is no list. */
export const listAt = (value: unknown, ...path: readonly string[]): readonly JsonRecord[] => {
  const found = at(value, ...path);
  return Array.isArray(found) ? found.filter(isJson) : [];
};
