import { equalJson, isPlainObject, type Json, type JsonObject, memberOf, parsedJson } from '#lib/json.ts';
import type { JsonSchema } from '#lib/kind/json-schema/json-schema.ts';
import { holdsMoreThan } from './values.ts';

/** A part of a path: the name of a member, or the keys that identify an item of a map list. */
export type Segment = string | { readonly [key: string]: Json };

/**
 * A value that another version could not express: its path, the value that returned from the conversion there and back, and the
 * original value. `seen` or `was` is absent if the value was absent.
 */
export interface Kept {
  readonly at: readonly Segment[];
  readonly seen?: Json;
  readonly was?: Json;
}

type Maybe = Json | undefined;

/** The names of the key fields of a map list; empty for other lists. */
export const keysOf = (schema: JsonSchema | undefined): readonly string[] =>
  schema?.['x-kubernetes-list-type'] === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : [];

const segmentOf = (item: Json, keys: readonly string[]): Segment | undefined => {
  if (!isPlainObject(item)) return undefined;
  const entries = keys.map((key) => [key, memberOf(item, key)] as const);
  return entries.every(([, value]) => value !== undefined) ? (Object.fromEntries(entries) as Segment) : undefined;
};

/** The items of a map list by their keys, in order. Undefined for other lists, and if keys are missing or not unique. */
const itemsOf = (list: Maybe, keys: readonly string[]): ReadonlyMap<string, readonly [Segment, Json]> | undefined => {
  if (!Array.isArray(list) || keys.length === 0) return undefined;
  const items = new Map<string, readonly [Segment, Json]>();
  for (const item of list as readonly Json[]) {
    const segment = segmentOf(item, keys);
    if (segment === undefined) return undefined;
    items.set(JSON.stringify(segment), [segment, item]);
  }
  return items.size === list.length ? items : undefined;
};

/** The schema of a member of an object; undefined if the schema has no such member. */
export const fieldOf = (schema: JsonSchema | undefined, name: string): JsonSchema | undefined => {
  const { additionalProperties } = schema ?? {};
  return (
    memberOf(schema?.properties, name) ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined)
  );
};

/** An original value and its value after the round trip, with their path and schema. */
interface Difference {
  readonly schema: JsonSchema | undefined;
  readonly at: readonly Segment[];
  readonly seen: Maybe;
  readonly was: Maybe;
}

const present = (name: 'seen' | 'was', value: Maybe) => (value === undefined ? {} : { [name]: value });

function* members({ schema, at }: Difference, seen: JsonObject, was: JsonObject): Iterable<Kept> {
  for (const name of new Set([...Object.keys(seen), ...Object.keys(was)])) {
    const pair = { seen: memberOf(seen, name) as Maybe, was: memberOf(was, name) as Maybe };
    yield* differences({ schema: fieldOf(schema, name), at: [...at, name], ...pair });
  }
}

/**
 * Lists the differences between a value and its round trip, as deep as possible. Lists are compared as a whole, unless they are
 * map lists with the same keys in the same order.
 */
export function* differences(difference: Difference): Iterable<Kept> {
  const { schema, at, seen, was } = difference;
  if (equalJson(seen, was)) return;
  if (isPlainObject(seen) && isPlainObject(was)) {
    yield* members(difference, seen, was);
    return;
  }
  const keys = keysOf(schema);
  const [items, old] = [itemsOf(seen, keys), itemsOf(was, keys)];
  const isSameItems = items && old && equalJson([...items.keys()], [...old.keys()]);
  if (!isSameItems) {
    yield { at, ...present('seen', seen), ...present('was', was) };
    return;
  }
  for (const [id, [segment, item]] of items) {
    yield* differences({ schema: schema?.items, at: [...at, segment], seen: item, was: old.get(id)?.[1] });
  }
}

const isSegment = (value: unknown): value is Segment => typeof value === 'string' || isPlainObject(value);

/** The limit of the API server for the annotations of an object, in bytes. */
const MAX_BYTES = 256 * 1024;

const MAX_ENTRIES = 10_000;
const LIMITS = { values: 200_000, depth: 200 };

const isKept = (value: unknown): value is Kept =>
  isPlainObject(value) &&
  Array.isArray(value['at']) &&
  value['at'].length > 0 &&
  value['at'].length <= LIMITS.depth &&
  value['at'].every(isSegment);

/** The kept data, by the version from which they come. */
export type KeptByVersion = Readonly<Record<string, readonly Kept[]>>;

const sizeOf = (kept: KeptByVersion): number => Object.values(kept).reduce((sum, { length }) => sum + length, 0);

/** Whether the number of kept values of all versions is within the limit. */
export const isBounded = (kept: KeptByVersion): boolean => sizeOf(kept) <= MAX_ENTRIES;

/** Reads the kept data from the annotation. Invalid data count as absent, because any client can write the annotation. */
export const readKept = (text: unknown): KeptByVersion => {
  if (typeof text !== 'string' || text.length > MAX_BYTES || holdsMoreThan(Buffer.from(text), LIMITS)) return {};
  const value = parsedJson(text);
  if (!isPlainObject(value)) return {};
  const entries = Object.entries(value).filter(
    (entry): entry is [string, readonly Kept[]] => Array.isArray(entry[1]) && entry[1].every(isKept),
  );
  const kept = Object.fromEntries(entries);
  return isBounded(kept) ? kept : {};
};
