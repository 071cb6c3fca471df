import { isPlainObject, type JsonObject, setOwn } from '#lib/json.ts';

const copyMembers = (value: JsonObject, stored: JsonObject): JsonObject => {
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member !== undefined) setOwn(copy, name, frozenCopy(member, stored[name]));
  }
  return copy;
};

/** Converts values that are not JSON, such as dates, to JSON. */
const toJson = (value: object): unknown => JSON.parse(JSON.stringify(value)) as unknown;

/**
 * Copies JSON and freezes the copy. Omits members with the value undefined.
 *
 * @param stored - an object of this server. The copy shares the parts that are the same JavaScript object at the same place of
 * `value`, because clients often send parts of stored objects back. Parts of clients are never shared, because they can change.
 */
export const frozenCopy = (value: unknown, stored?: unknown): unknown => {
  if (typeof value !== 'object' || value === null || value === stored) return value;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = Array.isArray(stored) ? stored : [];
    return Object.freeze(value.map((item: unknown, index) => frozenCopy(item ?? null, items[index])));
  }
  if (!isPlainObject(value)) return frozenCopy(toJson(value));
  return Object.freeze(copyMembers(value, isPlainObject(stored) ? stored : {}));
};

/** Freezes JSON that this server made, without a copy. A part that is already frozen counts as deeply frozen. */
export const freeze = <V>(value: V): V => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) for (const item of value) freeze(item);
  else for (const name of Object.keys(value)) freeze((value as Record<string, unknown>)[name]);
  return Object.freeze(value);
};
