import { isDeepStrictEqual } from 'node:util';
import { carries, isOrphan, type Labels } from '#lib/desired/observe/selection.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';
import type { CacheChange } from '#lib/loop/cache/cache-options.ts';
import { sameButVersion } from '#lib/loop/cache/projection/fingerprint.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';
import { viewOf } from '#lib/loop/cache/projection/view.ts';
import { type Key, keyOf } from '#lib/loop/context/key.ts';
import { sourceId } from '#lib/loop/source/needs.ts';

/** A query of a pass to a cache; a change of its answer wakes the resource. */
export type Lookup =
  | { readonly ask: 'get'; readonly kind: KindRef; readonly key: Key }
  | {
      /** `orphans`: only those without a controller that are not being deleted. */
      readonly ask: 'list' | 'orphans';
      readonly kind: KindRef;
      /** All of them when it is undefined. */
      readonly namespace: string | undefined;
      readonly labels: Labels;
    };

const ALL = '*';

const labelId = (namespace: string, key: string, value: string): string => `list ${namespace} ${key}=${value}`;

/** Under which word a look-up is filed: that of its first label, as each object carries few. */
const fileOf = (lookup: Lookup): string => {
  if (lookup.ask === 'get') return `get ${lookup.key}`;
  const { namespace = ALL, labels } = lookup;
  const [first] = Object.entries(labels);
  return first === undefined ? `list ${namespace}` : labelId(namespace, ...first);
};

/** A question as a text that another process writes alike. */
export const questionOf = (lookup: Lookup): string =>
  `${sourceId(lookup.kind)} ${fileOf(lookup)}${lookup.ask === 'get' ? '' : ` ${JSON.stringify(lookup.labels)}`}`;

/** Under which words the look-ups are filed that may concern an object. */
const filesOf = ({ metadata }: CachedObject): readonly string[] => {
  const { name, namespace = '', labels = {} } = metadata;
  const lists = [namespace, ALL].flatMap((scope) => [
    `list ${scope}`,
    ...Object.entries(labels).map(([key, value]) => labelId(scope, key, value)),
  ]);
  return [`get ${keyOf(namespace, name)}`, ...lists];
};

/** True when an object is, or is part of, the answer. */
const answers = (lookup: Lookup, object: CachedObject): boolean => {
  const { name, namespace = '' } = object.metadata;
  if (lookup.ask === 'get') return lookup.key === keyOf(namespace, name);
  if (lookup.namespace !== undefined && lookup.namespace !== namespace) return false;
  return carries(object, lookup.labels) && (lookup.ask === 'list' || isOrphan(object));
};

/** Whether a change gives another answer, in the fields that the kind reads; versions alone do not count. */
const changesAnswer = (lookup: Lookup, { before, after }: CacheChange): boolean => {
  const old = before && answers(lookup, before) ? before : undefined;
  const next = after && answers(lookup, after) ? after : undefined;
  if (!old || !next) return old !== next;
  return !sameButVersion(viewOf(lookup.kind, old), viewOf(lookup.kind, next));
};

/** Look-ups are replaced part by part: `orphans` when a snapshot is taken, `related` when the function was called. */
export type LookupPart = 'orphans' | 'related';

/** A look-up, and the resource whose pass asked it. */
interface Asked {
  readonly key: Key;
  readonly lookup: Lookup;
}

/** Most passes ask what the last one asked. */
const areSame = (earlier: readonly Asked[], lookups: readonly Lookup[]): boolean =>
  earlier.length === lookups.length && earlier.every(({ lookup }, index) => isDeepStrictEqual(lookup, lookups[index]));

/**
 * The look-ups of the last pass over each resource, so that only a change of an answer wakes the resource.
 *
 * Flow: a pass calls `remember`; a change in a cache goes to `affectedBy`; a resource that is gone is forgotten.
 *
 * Guarantees: memory is bounded by the look-ups of one pass per resource; the cost of a change is the number of labels of the
 * object, however many resources there are.
 */
export class Lookups {
  readonly #byKey = new Map<Key, Partial<Record<LookupPart, readonly Asked[]>>>();
  /** By kind, and by the word under which it is filed. */
  readonly #files = new Map<string, Map<string, Asked[]>>();

  /** Number of look-ups that are remembered. */
  get size(): number {
    return [...this.#byKey.values()].flatMap((parts) => Object.values(parts).flat()).length;
  }

  /** Replaces a part of the remembered look-ups of a resource. */
  remember(key: Key, part: LookupPart, lookups: readonly Lookup[]): void {
    const parts = this.#byKey.get(key);
    const earlier = parts?.[part] ?? [];
    if (areSame(earlier, lookups)) return;
    for (const asked of earlier) this.#drop(asked);
    const asked = lookups.map((lookup) => ({ key, lookup }));
    for (const each of asked) this.#file(each);
    this.#byKey.set(key, { ...parts, [part]: asked });
  }

  /** Forgets a resource. */
  forget(key: Key): void {
    for (const asked of Object.values(this.#byKey.get(key) ?? {}).flat()) this.#drop(asked);
    this.#byKey.delete(key);
  }

  /** @returns the keys of the resources whose last pass would have had another answer */
  affectedBy(kind: KindRef, change: CacheChange): ReadonlySet<Key> {
    const keys = new Set<Key>();
    const files = this.#files.get(sourceId(kind));
    if (files === undefined) return keys;
    const words = new Set([change.before, change.after].flatMap((object) => (object ? filesOf(object) : [])));
    for (const word of words) {
      for (const { key, lookup } of files.get(word) ?? []) if (changesAnswer(lookup, change)) keys.add(key);
    }
    return keys;
  }

  #file(asked: Asked): void {
    const id = sourceId(asked.lookup.kind);
    const files = this.#files.get(id) ?? new Map<string, Asked[]>();
    const word = fileOf(asked.lookup);
    const filed = files.get(word);
    if (filed) filed.push(asked);
    // An array literal takes no memory for elements that do not come.
    else this.#files.set(id, files.set(word, [asked]));
  }

  #drop(asked: Asked): void {
    const id = sourceId(asked.lookup.kind);
    const files = this.#files.get(id);
    const word = fileOf(asked.lookup);
    const filed = files?.get(word);
    filed?.splice(filed.indexOf(asked), 1);
    if (filed?.length === 0) files?.delete(word);
    if (files?.size === 0) this.#files.delete(id);
  }
}
