import { equalJson, isJson, isPlainObject, type Json, type JsonObject, memberOf } from '#lib/json.ts';
import type { JsonSchema } from '#lib/kind/json-schema.ts';

/** A member of an object, or the item of a map list by its keys. */
type Segment = string | { readonly [key: string]: Json };

/**
 * What another version could not express: where, what came back without it, and what it was. An absent member is an absent value.
 */
export interface Kept {
  readonly at: readonly Segment[];
  readonly seen?: Json;
  readonly was?: Json;
}

/** An absent value, as JSON has none. */
type Maybe = Json | undefined;

const keysOf = (schema: JsonSchema | undefined): readonly string[] =>
  schema?.['x-kubernetes-list-type'] === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : [];

/** The keys of an item; undefined when it does not have them all. */
const segmentOf = (item: Json, keys: readonly string[]): Segment | undefined => {
  if (!isPlainObject(item)) return undefined;
  const entries = keys.map((key) => [key, memberOf(item, key)] as const);
  return entries.every(([, value]) => value !== undefined) ? (Object.fromEntries(entries) as Segment) : undefined;
};

/** Items by their keys, in their order; undefined when the list is none of that sort, or names one twice. */
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

const fieldOf = (schema: JsonSchema | undefined, name: string): JsonSchema | undefined => {
  const { additionalProperties } = schema ?? {};
  return (
    memberOf(schema?.properties, name) ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined)
  );
};

/** What a value was and what came back of it. */
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
 * Where a value differs from what came back of it, as deep down as it can be told. Lists are whole, but for those whose items have
 * keys.
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

/** Members are set in a copy; the order of what was there stays. */
const withMember = (object: JsonObject, name: string, value: Maybe): Json => {
  const { [name]: _, ...rest } = object;
  return (value === undefined ? rest : { ...object, [name]: value }) as Json;
};

/** Whoever changed the place in the other version meant that: what was kept of it is let go. */
const restoreOne = (value: Maybe, { at, seen, was }: Kept): Maybe => {
  const [segment, ...rest] = at;
  if (segment === undefined) return equalJson(value, seen) ? was : value;
  const below = { at: rest, ...present('seen', seen), ...present('was', was) };
  if (typeof segment === 'string') {
    if (!isPlainObject(value)) return value;
    return withMember(value, segment, restoreOne(memberOf(value, segment), below));
  }
  if (!Array.isArray(value)) return value;
  const isWanted = (item: Json): boolean =>
    isPlainObject(item) && Object.entries(segment).every(([key, wanted]) => equalJson(memberOf(item, key), wanted));
  return (value as readonly Json[]).map((item) => (isWanted(item) ? (restoreOne(item, below) ?? item) : item));
};

/** Puts back what was kept, where nobody changed the place in the meantime. */
export const restored = (value: Json, kept: readonly Kept[]): Json =>
  kept.reduce<Json>((result, each) => restoreOne(result, each) ?? result, value);

const isSegment = (value: unknown): value is Segment => typeof value === 'string' || isPlainObject(value);

const isKept = (value: unknown): value is Kept =>
  isPlainObject(value) && Array.isArray(value['at']) && value['at'].every(isSegment) && isJson(value);

/** Where it stands in an object. */
export const KEPT_ANNOTATION = 'cdk8s-reconcile/kept';

/** What is kept, by the version that had it. */
export type KeptByVersion = Readonly<Record<string, readonly Kept[]>>;

/** Reads the annotation; what people made of it by hand counts as nothing. */
export const readKept = (text: unknown): KeptByVersion => {
  if (typeof text !== 'string') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (!isPlainObject(value)) return {};
    const entries = Object.entries(value).filter(
      (entry): entry is [string, readonly Kept[]] => Array.isArray(entry[1]) && entry[1].every(isKept),
    );
    return Object.fromEntries(entries);
  } catch {
    return {};
  }
};
