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

/** Whether a value is JSON that is frozen in all its parts. */
const isFrozenJson = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return value !== undefined;
  if (!Object.isFrozen(value)) return false;
  if (!Array.isArray(value) && !isPlainObject(value)) return false;
  for (const part of Object.values(value)) if (!isFrozenJson(part)) return false;
  return true;
};

/**
 * Copies JSON and freezes the copy. Omits members with the value undefined. Shares parts that are frozen already, such as parts of
 * stored objects that a client sends back.
 */
export const frozenCopy = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || isFrozenJson(value)) return value;
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
