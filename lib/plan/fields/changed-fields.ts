import { childPath, equalJson, isPlainObject, type JsonObject } from '#lib/json.ts';

const membersOf = (before: JsonObject, after: JsonObject, path: string): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
    changedFields(before[name], after[name], childPath(path, name)),
  );

const elementsOf = (before: readonly unknown[], after: readonly unknown[], path: string): readonly string[] =>
  before.flatMap((element, index) => changedFields(element, after[index], `${path}[${index}]`));

/**
 * The fields in which two values differ, in the usual notation: `spec.containers[0].image`. Lists of different lengths differ as
 * a whole.
 *
 * @param path - the path of the values; empty for the root
 * @returns the paths of the fields; empty if the values are equal
 */
export const changedFields = (before: unknown, after: unknown, path = ''): readonly string[] => {
  if (equalJson(before, after)) return [];
  if (isPlainObject(before) && isPlainObject(after)) return membersOf(before, after, path).toSorted();
  const areLists = Array.isArray(before) && Array.isArray(after) && before.length === after.length;
  return areLists ? elementsOf(before, after, path) : [path];
};
