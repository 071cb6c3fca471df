import { isDeepStrictEqual } from 'node:util';
import { isRelated, type SeenFrom } from '#lib/desired/observe/related-place.ts';
import type { RelatedQuestion } from '#lib/desired/observe/related-questions.ts';
import { carries, isOrphan, type Labels } from '#lib/desired/observe/selection.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';
import type { CacheChange } from '#lib/loop/cache/cache-options.ts';
import { sameButVersion } from '#lib/loop/cache/projection/fingerprint.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';
import { viewOf } from '#lib/loop/cache/projection/view.ts';
import { type Key, keyOf } from '#lib/loop/context/key.ts';
import { readSourceId, sourceId } from '#lib/loop/source/needs.ts';

/** A query of a pass to a cache. When its answer changes, the resource gets another pass. */
export type Lookup =
  | { readonly ask: 'get'; readonly kind: KindRef; readonly key: Key }
  | {
      /** `list`: all matching objects. `orphans`: only objects that have no controller and are not being deleted. */
      readonly ask: 'list' | 'orphans';
      readonly kind: KindRef;
      /** The namespace of the objects; undefined for all namespaces. */
      readonly namespace: string | undefined;
      readonly labels: Labels;
    };

/** The query of a look-up of a function. */
export const lookupOf = (question: RelatedQuestion): Lookup => {
  if (question.ask === 'list') return question;
  const { ask, kind, namespace, name } = question;
  return { ask, kind, key: keyOf(namespace, name) };
};

/** A kind in `reads` with `elsewhere()`, and a namespace that the operator does not observe. */
export interface UnobservedRead {
  readonly kind: KindRef;
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined;
}

const ALL = '*';

const labelId = (namespace: string, key: string, value: string): string => `list ${namespace} ${key}=${value}`;

/**
 * The index entry of a look-up: the key of a single object, or the namespace and the first label of a list. An object has few
 * labels, so only a few index entries can concern it.
 */
const fileOf = (lookup: Lookup): string => {
  if (lookup.ask === 'get') return `get ${lookup.key}`;
  const { namespace = ALL, labels } = lookup;
  const [first] = Object.entries(labels);
  return first === undefined ? `list ${namespace}` : labelId(namespace, ...first);
};

/** A query as text, which is the same in every process. */
export const questionOf = (lookup: Lookup): string =>
  `${sourceId(lookup.kind)} ${fileOf(lookup)}${lookup.ask === 'get' ? '' : ` ${JSON.stringify(lookup.labels)}`}`;

/** Whether a query, as the text of {@link questionOf}, concerns the objects of a handle: with or without `elsewhere()`. */
export const isQuestionOf = (question: string, kind: KindRef): boolean =>
  ['get', 'list'].some((ask) => question.startsWith(`${sourceId(kind)} ${ask} `));

/** The index entries of all look-ups that may concern an object. */
const filesOf = ({ metadata }: CachedObject): readonly string[] => {
  const { name, namespace = '', labels = {} } = metadata;
  const lists = [namespace, ALL].flatMap((scope) => [
    `list ${scope}`,
    ...Object.entries(labels).map(([key, value]) => labelId(scope, key, value)),
  ]);
  return [`get ${keyOf(namespace, name)}`, ...lists];
};

/** The part of {@link SeenFrom} that is the same for all resources of a kind. */
type OperatorPlace = Pick<SeenFrom, 'ownNamespace'>;

const answers = (lookup: Lookup, object: CachedObject, operator: OperatorPlace): boolean => {
  const { name, namespace = '' } = object.metadata;
  if (lookup.ask === 'get') return lookup.key === keyOf(namespace, name);
  const isThere =
    lookup.namespace === undefined ? isRelated(lookup.kind, namespace, operator) : lookup.namespace === namespace;
  if (!isThere) return false;
  return carries(object, lookup.labels) && (lookup.ask === 'list' || isOrphan(object));
};

/** Whether a change of an object changes the answer in the fields that the kind reads. */
const changesAnswer = (lookup: Lookup, { before, after }: CacheChange, operator: OperatorPlace): boolean => {
  const old = before && answers(lookup, before, operator) ? before : undefined;
  const next = after && answers(lookup, after, operator) ? after : undefined;
  if (!old || !next) return old !== next;
  return !sameButVersion(viewOf(lookup.kind, old), viewOf(lookup.kind, next));
};

/**
 * The parts of the look-ups of a resource. They are replaced separately: `orphans` when the snapshot is taken, `related` after
 * the call of the function.
 */
export type LookupPart = 'orphans' | 'related';

/** A look-up, and the key of the resource for which a pass made it. */
interface Asked {
  readonly key: Key;
  readonly lookup: Lookup;
}

const areSame = (earlier: readonly Asked[], lookups: readonly Lookup[]): boolean =>
  earlier.length === lookups.length && earlier.every(({ lookup }, index) => isDeepStrictEqual(lookup, lookups[index]));

/**
 * The look-ups of the last pass of each resource. The change of an object starts a pass only if it changes one of their answers.
 *
 * Flow: each pass calls `remember` and `missed`. For each change in a cache, `affectedBy` finds the resources. When a watch begins
 * to work, `found` returns the resources that failed without its objects. `forget` removes a resource that no longer exists.
 *
 * Guarantees: memory is bounded by the look-ups of one pass per resource. The cost of a change does not depend on the
 * number of resources without a matching look-up.
 */
export class Lookups {
  readonly #byKey = new Map<Key, Partial<Record<LookupPart, readonly Asked[]>>>();
  /** The look-ups by kind and index entry. */
  readonly #files = new Map<string, Map<string, Asked[]>>();
  readonly #missed = new Map<Key, UnobservedRead>();
  readonly #operator: OperatorPlace;

  /** @param operator - see `Context.ownNamespace` */
  constructor(operator: OperatorPlace = {}) {
    this.#operator = operator;
  }

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

  /** Records whether the last pass of a resource failed, because it looked up objects that the operator does not observe. */
  missed(key: Key, read: UnobservedRead | undefined): void {
    if (read === undefined) this.#missed.delete(key);
    else this.#missed.set(key, read);
  }

  /** @returns the keys of the resources with a failed pass, see `missed`, for which the operator observes the objects now */
  found(isObserved: (read: UnobservedRead) => boolean): readonly Key[] {
    return [...this.#missed].flatMap(([key, read]) => (isObserved(read) ? [key] : []));
  }

  forget(key: Key): void {
    for (const asked of Object.values(this.#byKey.get(key) ?? {}).flat()) this.#drop(asked);
    this.#byKey.delete(key);
    this.#missed.delete(key);
  }

  /**
   * @param kind - a handle of the source of the change. A change in the source of children elsewhere concerns no look-up.
   * @returns the keys of the resources with look-ups that have another answer, and whether all of these look-ups only inform
   */
  affectedBy(kind: KindRef, change: CacheChange): ReadonlyMap<Key, boolean> {
    const keys = new Map<Key, boolean>();
    const files = this.#files.get(readSourceId(kind));
    if (files === undefined) return keys;
    const words = new Set([change.before, change.after].flatMap((object) => (object ? filesOf(object) : [])));
    for (const word of words) {
      for (const { key, lookup } of files.get(word) ?? [])
        if (keys.get(key) !== false && changesAnswer(lookup, change, this.#operator))
          keys.set(key, lookup.kind.onlyInforms === true);
    }
    return keys;
  }

  #file(asked: Asked): void {
    const id = readSourceId(asked.lookup.kind);
    const files = this.#files.get(id) ?? new Map<string, Asked[]>();
    const word = fileOf(asked.lookup);
    const filed = files.get(word);
    if (filed) filed.push(asked);
    // An array literal with one element reserves no memory for further elements, unlike an empty array that grows.
    else this.#files.set(id, files.set(word, [asked]));
  }

  #drop(asked: Asked): void {
    const id = readSourceId(asked.lookup.kind);
    const files = this.#files.get(id);
    const word = fileOf(asked.lookup);
    const filed = files?.get(word);
    filed?.splice(filed.indexOf(asked), 1);
    if (filed?.length === 0) files?.delete(word);
    if (files?.size === 0) this.#files.delete(id);
  }
}
