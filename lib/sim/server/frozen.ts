import { isPlainObject, type JsonObject } from '#lib/kind/json.ts';

/** Objects and arrays that are frozen to their leaves; nothing else may be taken for it, as `Object.isFrozen` is shallow. */
const deeplyFrozen = new WeakSet<object>();

const copyMembers = (value: JsonObject): JsonObject => {
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member === undefined) continue;
    if (name === '__proto__') Object.defineProperty(copy, name, { value: frozenCopy(member), enumerable: true });
    else copy[name] = frozenCopy(member);
  }
  return copy;
};

const copyOf = (value: object): object => {
  if (Array.isArray(value)) return value.map((item: unknown) => (item === undefined ? null : frozenCopy(item)));
  if (isPlainObject(value)) return copyMembers(value);
  const json: unknown = JSON.parse(JSON.stringify(value));
  return typeof json === 'object' && json !== null ? copyOf(json) : Object(json);
};

/** JSON that nobody can change: what is frozen already is shared, the rest is copied; members of value undefined are left out. */
export const frozenCopy = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || deeplyFrozen.has(value)) return value;
  const copy = Object.freeze(copyOf(value));
  deeplyFrozen.add(copy);
  return copy;
};

/** Freezes JSON that this server made itself, in place. */
export const freeze = <V>(value: V): V => {
  if (typeof value !== 'object' || value === null || deeplyFrozen.has(value)) return value;
  for (const member of Object.values(value)) freeze(member);
  Object.freeze(value);
  deeplyFrozen.add(value);
  return value;
};

const sameItems = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((item, i) => sameJson(item, b[i]));

const sameMembers = (a: JsonObject, b: JsonObject): boolean => {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && sameJson(a[name], b[name]))
  );
};

/**
 * Whether two JSON values are equal, whatever the order of members. As fast as they are shared: this is asked with every write.
 */
export const sameJson = (a: unknown, b: unknown): boolean => {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && sameItems(a, b);
  return !Array.isArray(b) && sameMembers(a as JsonObject, b as JsonObject);
};
