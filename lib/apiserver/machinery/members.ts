import { isPlainObject, type JsonObject } from '#lib/json.ts';

/** Functions that read members of decoded objects. A member of a decoded object has the right type, or is absent. */

const none: JsonObject = Object.freeze({});
const noItems: readonly never[] = Object.freeze([]);

/** A member that is an object; empty when absent. */
export const objectIn = (object: JsonObject | undefined, name: string): JsonObject => optionalIn(object, name) ?? none;

/** A member that is an object; undefined when absent, like a nil pointer to a struct in Go. */
export const optionalIn = (object: JsonObject | undefined, name: string): JsonObject | undefined => {
  const value = object?.[name];
  return isPlainObject(value) ? value : undefined;
};

/** A member that is a list of objects; empty when absent. */
export const listIn = (object: JsonObject | undefined, name: string): readonly JsonObject[] => {
  const value = object?.[name];
  return Array.isArray(value) ? (value as readonly JsonObject[]) : noItems;
};

/** A member that is a list of strings; empty when absent. */
export const textsIn = (object: JsonObject | undefined, name: string): readonly string[] => {
  const value = object?.[name];
  return Array.isArray(value) ? (value as readonly string[]) : noItems;
};

/** A member that is a string; empty when absent. */
export const textIn = (object: JsonObject | undefined, name: string): string => {
  const value = object?.[name];
  return typeof value === 'string' ? value : '';
};

/** A member that is a number; 0 when absent. */
export const numberIn = (object: JsonObject | undefined, name: string): number => {
  const value = object?.[name];
  return typeof value === 'number' ? value : 0;
};

/** The entries of a map of strings, sorted by key because Go's maps have no order; empty when absent. */
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

/** Replaces a member by the result of a function. Returns the given object if the member is absent or does not change. */
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

/** Sets a member, or removes it if the value is `undefined`. */
export const withMember = (object: JsonObject, name: string, value: unknown): JsonObject => {
  if (object[name] === value) return object;
  if (value !== undefined) return { ...object, [name]: value };
  const { [name]: _, ...rest } = object;
  return rest;
};
