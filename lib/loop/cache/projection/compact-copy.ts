import { RecentMap } from '#lib/loop/events/recent-map.ts';

/** JSON texts of objects with the same names, by the list of the names. The objects of a cache have few different lists. */
const templates = new RecentMap<string>(64);

const templateOf = (names: readonly string[]): string => {
  const id = JSON.stringify(names);
  const known = templates.get(id);
  if (known !== undefined) return known;
  const template = `{${names.map((name) => `${JSON.stringify(name)}:null`).join()}}`;
  templates.set(id, template);
  return template;
};

/**
 * Returns a shallow copy without reserved memory. V8 reserves memory for further members in an object that was made by a literal
 * or a spread and got its members later, but not in a result of `JSON.parse`. The
 * metadata of a Pod take 24 bytes less in the copy.
 */
export const compactCopy = (value: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const names = Object.keys(value);
  const copy = JSON.parse(templateOf(names)) as Record<string, unknown>;
  for (const name of names) copy[name] = value[name];
  return copy;
};
