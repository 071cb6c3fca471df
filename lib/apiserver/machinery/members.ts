import { isPlainObject, type JsonObject } from '#lib/json.ts';

/** Functions that read and change members of decoded objects. A member of a decoded object has the right type, or is absent. */

const none: JsonObject = Object.freeze({});
const noItems: readonly never[] = Object.freeze([]);

/** Returns a member that is an object; the empty object when absent. */
export const objectIn = (object: JsonObject | undefined, name: string): JsonObject => optionalIn(object, name) ?? none;

/** Returns a member that is an object; undefined when absent, like a nil pointer to a struct in Go. */
export const optionalIn = (object: JsonObject | undefined, name: string): JsonObject | undefined => {
  const value = object?.[name];
  return isPlainObject(value) ? value : undefined;
};

/** Returns a member that is a list of objects; the empty list when absent. */
export const listIn = (object: JsonObject | undefined, name: string): readonly JsonObject[] => {
  const value = object?.[name];
  return Array.isArray(value) ? (value as readonly JsonObject[]) : noItems;
};

/** Returns a member that is a list of strings; the empty list when absent. */
export const textsIn = (object: JsonObject | undefined, name: string): readonly string[] => {
  const value = object?.[name];
  return Array.isArray(value) ? (value as readonly string[]) : noItems;
};

/** Returns a member that is a string; '' when absent. */
export const textIn = (object: JsonObject | undefined, name: string): string => {
  const value = object?.[name];
  return typeof value === 'string' ? value : '';
};

/** Returns a member that is a number; 0 when absent. */
export const numberIn = (object: JsonObject | undefined, name: string): number => {
  const value = object?.[name];
  return typeof value === 'number' ? value : 0;
};

/** Returns the entries of a map of strings, sorted by key because Go's maps have no order; the empty list when absent. */
export const entriesIn = (object: JsonObject | undefined, name: string): readonly (readonly [string, string])[] =>
  (Object.entries(objectIn(object, name)) as [string, string][]).toSorted(([a], [b]) => (a < b ? -1 : 1));

/** Sets absent members to their defaults. An `undefined` default sets no member. Returns the given object if nothing changes. */
export const withDefaults = (object: JsonObject, defaults: JsonObject): JsonObject => {
  let result: Record<string, unknown> | undefined;
  for (const name in defaults) {
    if (object[name] !== undefined || defaults[name] === undefined) continue;
    result ??= { ...object };
    result[name] = defaults[name];
  }
  return result ?? object;
};

/** Replaces a member that is an object by the result of a function. Returns the given object if nothing changes. */
export const mapMember = (object: JsonObject, name: string, change: (member: JsonObject) => JsonObject): JsonObject => {
  const member = optionalIn(object, name);
  if (member === undefined) return object;
  const changed = change(member);
  return changed === member ? object : { ...object, [name]: changed };
};

/**
 * Replaces the items of a list by the results of a function. Returns the given object if the list is absent or does not change.
 */
export const mapItems = (object: JsonObject, name: string, change: (item: JsonObject) => JsonObject): JsonObject => {
  const items = listIn(object, name);
  const changed = items.map(change);
  return changed.every((item, i) => item === items[i]) ? object : { ...object, [name]: changed };
};

/** Returns an object with a changed member. The value `undefined` removes the member. */
export const withMember = (object: JsonObject, name: string, value: unknown): JsonObject => {
  if (object[name] === value) return object;
  if (value !== undefined) return { ...object, [name]: value };
  const { [name]: _, ...rest } = object;
  return rest;
};
