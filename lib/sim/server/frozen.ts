import { isPlainObject, type JsonObject } from '#lib/kind/json.ts';

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

/** Anything that is not JSON itself, such as a date, as JSON has it. */
const toJson = (value: object): unknown => JSON.parse(JSON.stringify(value)) as unknown;

/** A copy of JSON that nobody can change; members of value undefined are left out. */
export const frozenCopy = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map((item: unknown) => frozenCopy(item ?? null)));
  return isPlainObject(value) ? Object.freeze(copyMembers(value)) : frozenCopy(toJson(value));
};

/** Freezes JSON that this server made itself, in place. What is frozen already counts as frozen to its leaves. */
export const freeze = <V>(value: V): V => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) for (const item of value) freeze(item);
  else for (const name of Object.keys(value)) freeze((value as Record<string, unknown>)[name]);
  return Object.freeze(value);
};
