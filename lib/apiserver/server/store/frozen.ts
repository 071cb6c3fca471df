import { isPlainObject, type JsonObject, setOwn } from '#lib/json.ts';

const copyMembers = (value: JsonObject): JsonObject => {
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member !== undefined) setOwn(copy, name, frozenCopy(member));
  }
  return copy;
};

/** Converts values that are not JSON, such as dates, to JSON. */
const toJson = (value: object): unknown => JSON.parse(JSON.stringify(value)) as unknown;

/** Parts of stored objects. All of them are deeply frozen JSON. */
const frozenParts = new WeakSet();

/**
 * The maximum depth of the parts of stored objects in `frozenParts`. Parts that clients often send unchanged are within this
 * depth, such as `spec.template` or an item of `status.conditions`.
 */
const KNOWN_DEPTH = 3;

/**
 * Records that a value of this server is deeply frozen, with its parts down to `depth`. {@link frozenCopy} does not copy them.
 */
export const noteFrozen = (value: unknown, depth = KNOWN_DEPTH): void => {
  if (typeof value !== 'object' || value === null || frozenParts.has(value)) return;
  frozenParts.add(value);
  if (depth === 0) return;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const member of members) noteFrozen(member, depth - 1);
};

/**
 * Copies JSON and freezes the copy. Omits members with the value undefined. Parts that {@link noteFrozen} recorded are shared and
 * not copied.
 */
export const frozenCopy = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || frozenParts.has(value)) return value;
  if (Array.isArray(value)) return Object.freeze(value.map((item: unknown) => frozenCopy(item ?? null)));
  return isPlainObject(value) ? Object.freeze(copyMembers(value)) : frozenCopy(toJson(value));
};

/** Freezes JSON that this server made, without a copy. A part that is already frozen counts as deeply frozen. */
export const freeze = <V>(value: V): V => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) for (const item of value) freeze(item);
  else for (const name of Object.keys(value)) freeze((value as Record<string, unknown>)[name]);
  return Object.freeze(value);
};
