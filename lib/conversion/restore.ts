import { equalJson, isPlainObject, type Json, memberOf } from '#lib/json.ts';
import type { JsonSchema } from '#lib/kind/json-schema/json-schema.ts';
import { fieldOf, type Kept, keysOf, type Segment } from './kept.ts';

type Holder = Record<string, Json> | Json[];

/** The positions of the items of a list by the values of their keys, for each set of key names. */
type Positions = Map<string, ReadonlyMap<string, number>>;

const keyText = (item: Json, names: readonly string[]): string =>
  JSON.stringify(names.map((name) => (isPlainObject(item) ? (memberOf(item, name) ?? null) : null)));

const positionsIn = (list: readonly Json[], names: readonly string[]): ReadonlyMap<string, number> =>
  new Map(list.map((item, index) => [keyText(item, names), index]));

/**
 * Returns a function that finds items by their keys. Each list is indexed once for each set of key names, even for many searches.
 */
const createItemFinder = (): ((list: readonly Json[], keys: Exclude<Segment, string>) => number | undefined) => {
  const known = new Map<readonly Json[], Positions>();
  return (list, keys) => {
    const names = Object.keys(keys);
    const positions: Positions = known.get(list) ?? new Map();
    known.set(list, positions);
    const id = JSON.stringify(names);
    const found = positions.get(id) ?? positionsIn(list, names);
    positions.set(id, found);
    return found.get(JSON.stringify(Object.values(keys)));
  };
};

/**
 * The name of a member, or the index of an item, to which a segment refers. Undefined if the list has no such item, or the types
 * do not match.
 */
const keyIn = (
  holder: unknown,
  segment: Segment,
  find: ReturnType<typeof createItemFinder>,
): string | number | undefined => {
  if (typeof segment === 'string') return isPlainObject(holder) ? segment : undefined;
  return Array.isArray(holder) ? find(holder as readonly Json[], segment) : undefined;
};

const valueAt = (holder: Holder, key: string | number): Json | undefined =>
  Array.isArray(holder) ? holder[key as number] : memberOf(holder, key as string);

/** Sets a member or an item; the value undefined deletes it. An assignment to `__proto__` would change the prototype. */
const setAt = (holder: Holder, key: string | number, value: Json | undefined): void => {
  if (value === undefined) Reflect.deleteProperty(holder, key);
  else Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
};

/** A value with restored data. */
export interface Restoration {
  readonly value: Json;
  /** The entries that were restored, because their value had not changed. */
  readonly entries: readonly Kept[];
}

/**
 * Restores kept data where the value has not changed in the meantime. If the value was changed in the other version, the
 * changed value stays.
 *
 * Guarantees: the time is proportional to the size of the value and of the entries. The given value is not changed.
 */
export const restored = (value: Json, kept: readonly Kept[]): Restoration => {
  const root = structuredClone(value);
  const find = createItemFinder();
  const entries = kept.filter(({ at, seen, was }) => {
    let holder: Json | undefined = root;
    for (const segment of at.slice(0, -1)) {
      const key = keyIn(holder, segment, find);
      if (key === undefined) return false;
      holder = valueAt(holder as Holder, key);
    }
    const last = at.at(-1);
    const key = last === undefined ? undefined : keyIn(holder, last, find);
    if (key === undefined || !equalJson(valueAt(holder as Holder, key), seen)) return false;
    // An item of a list cannot be absent, but a member of an object can.
    if (typeof key === 'number' && was === undefined) return false;
    setAt(holder as Holder, key, was === undefined ? undefined : structuredClone(was));
    return true;
  });
  return { value: root, entries };
};

const isFree = (schema: JsonSchema): boolean =>
  schema['x-kubernetes-preserve-unknown-fields'] === true ||
  schema['x-kubernetes-embedded-resource'] === true ||
  schema.additionalProperties === true;

const ANYTHING: JsonSchema = { 'x-kubernetes-preserve-unknown-fields': true };

const below = (schema: JsonSchema, segment: Segment): JsonSchema | undefined => {
  if (typeof segment === 'string') return fieldOf(schema, segment) ?? (isFree(schema) ? ANYTHING : undefined);
  return equalJson(Object.keys(segment), keysOf(schema)) ? schema.items : undefined;
};

/**
 * The schema at a path; undefined when the schema has no such path. An item must be identified by all keys of its list, in order.
 */
export const schemaAt = (schema: JsonSchema, at: readonly Segment[]): JsonSchema | undefined => {
  let here: JsonSchema | undefined = schema;
  for (const segment of at) here = here && below(here, segment);
  return here;
};
