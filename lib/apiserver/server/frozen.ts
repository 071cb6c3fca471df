import { isPlainObject, type JsonObject } from '#lib/json.ts';

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

/** Parts of what is stored: JSON that nobody can change, down to its leaves. */
const ours = new WeakSet();

/** So deep go the parts that writers take over as they are: `spec.template`, an element of `status.conditions`. */
const KNOWN_DEPTH = 3;

/** Notes that a frozen value is this server's own, so that {@link frozenCopy} need not copy it or what is right below it. */
export const noteAsOurs = (value: unknown, depth = KNOWN_DEPTH): void => {
  if (typeof value !== 'object' || value === null || ours.has(value)) return;
  ours.add(value);
  if (depth === 0) return;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const member of members) noteAsOurs(member, depth - 1);
};

/**
 * A copy of JSON that nobody can change; members of value undefined are left out. What writers took over of a stored object
 * is shared with it.
 */
export const frozenCopy = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || ours.has(value)) return value;
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
