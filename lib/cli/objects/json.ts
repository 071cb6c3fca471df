/** An object of JSON of which nothing is known. */
export type Json = Readonly<Record<string, unknown>>;

/** True for an object that is no list. */
const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * What stands at a path of an object; undefined where there is nothing.
 *
 * @example
 * at(pod, 'status', 'phase');
 */
export const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((inside, member) => (isJson(inside) ? inside[member] : undefined), value);

/** The text at a path; undefined when there is none. */
export const textAt = (value: unknown, ...path: readonly string[]): string | undefined => {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : undefined;
};

/** The number at a path; undefined when there is none. */
export const numberAt = (value: unknown, ...path: readonly string[]): number | undefined => {
  const found = at(value, ...path);
  return typeof found === 'number' ? found : undefined;
};

/** The objects in the list at a path. */
export const listAt = (value: unknown, ...path: readonly string[]): readonly Json[] => {
  const found = at(value, ...path);
  return Array.isArray(found) ? found.filter(isJson) : [];
};
