import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { JsonObject } from '#lib/json.ts';
import { NameCounts } from './counts.ts';
import { freeze } from './frozen.ts';
import { ChangeHistory, type StoredChange } from './history.ts';
import { SortedTable } from './table.ts';

/** Called for every change of a resource. */
export type ChangeListener = (change: StoredChange) => void;

/** The objects of one resource, with their history and listeners. */
export interface Collection {
  readonly resource: string;
  readonly table: SortedTable;
  readonly history: ChangeHistory;
  readonly listeners: Set<ChangeListener>;
  /** The number of objects that each `namespace/name` has had, and the number of names generated from each `generateName`. */
  readonly counts: NameCounts;
}

/** One change of a {@link Store}: a stored or removed object, or one more use of a name. */
export type StoreEffect =
  | { readonly effect: 'put'; readonly resource: string; readonly object: ServerObject }
  | {
      readonly effect: 'remove';
      readonly resource: string;
      readonly object: ServerObject;
      readonly previous: ServerObject;
    }
  | { readonly effect: 'count'; readonly resource: string; readonly name: string };

/** Limits of the memory of a {@link Store}. */
export interface StoreLimits {
  readonly history: number;
  readonly names: number;
}

/**
 * The count of the name of a restored object. Uids depend on counts. With a high count, later objects of this name do not get a
 * uid of the other cluster.
 */
const RESTORED = 1_000_000;

const withVersion = (object: ServerObject, version: number): ServerObject =>
  freeze({ ...object, metadata: { ...object.metadata, resourceVersion: String(version) } });

/**
 * All stored objects, with one resource version for all resources. Every write increments the version.
 *
 * Guarantees: stored objects are frozen. A listener receives every change of its resource once and in order. If a listener
 * writes, the change is delivered after the change that the listener is handling.
 */
export class Store {
  readonly #collections = new Map<string, Collection>();
  readonly #limits: StoreLimits;
  readonly #pending: (() => void)[] = [];
  #isDelivering = false;
  #version: number;
  #compacted: number;
  /** The changes since the call of `recorded`; undefined outside of such a call. */
  #effects: StoreEffect[] | undefined;

  /**
   * @param start - the version before the first write
   * @param limits.history - minimum number of changes per resource that the store keeps, and from which a watch can start
   * @param limits.names - number of names per resource that are counted exactly
   */
  constructor(start: number, limits: StoreLimits) {
    this.#version = start;
    this.#compacted = start;
    this.#limits = limits;
  }

  /** Returns an independent copy with the same contents and history, without listeners. */
  copy(): Store {
    const copy = new Store(this.#version, this.#limits);
    copy.#compacted = this.#compacted;
    for (const [resource, { table, history, counts }] of this.#collections) {
      const collection = {
        table: table.copy(),
        history: history.copy(),
        counts: counts.copy(),
        listeners: new Set<ChangeListener>(),
      };
      copy.#collections.set(resource, { resource, ...collection });
    }
    return copy;
  }

  get version(): number {
    return this.#version;
  }

  /** The version up to which history was dropped. */
  get compacted(): number {
    return this.#compacted;
  }

  /** Returns the collection of a resource. The first call creates the collection. */
  collection(resource: string): Collection {
    let collection = this.#collections.get(resource);
    if (collection === undefined) {
      const history = new ChangeHistory(this.#version, this.#limits.history);
      collection = {
        resource,
        table: new SortedTable(),
        history,
        listeners: new Set(),
        counts: new NameCounts(this.#limits.names),
      };
      this.#collections.set(resource, collection);
    }
    return collection;
  }

  /** Returns the objects of a resource. Unlike `collection()`, this method does not create a collection. */
  objects(resource: string, namespace?: string): readonly ServerObject[] {
    return this.#collections.get(resource)?.table.list(namespace) ?? [];
  }

  /** Returns the objects of a resource at a version; `undefined` when the history does not contain this version. */
  objectsAt(resource: string, version: number): readonly ServerObject[] | undefined {
    if (version > this.#version || version < this.#compacted) return undefined;
    const collection = this.#collections.get(resource);
    if (collection === undefined) return [];
    if (version < collection.history.forgotten) return undefined;
    return collection.history.undo(collection.table.list(), version);
  }

  /** Stores an object. @returns the object with its version */
  put(collection: Collection, object: ServerObject): ServerObject {
    const stored = withVersion(object, this.#version + 1);
    this.#put(collection, stored);
    return stored;
  }

  #put(collection: Collection, stored: ServerObject): void {
    const { namespace = '', name } = stored.metadata;
    const previous = collection.table.get(namespace, name);
    const version = ++this.#version;
    collection.table.put(stored);
    this.#effects?.push({ effect: 'put', resource: collection.resource, object: stored });
    this.#note(collection, { version, object: stored, ...(previous && { previous }), isDeletion: false });
  }

  /** Counts one more use of a name. */
  count({ resource, counts }: Collection, name: string): void {
    counts.add(name);
    this.#effects?.push({ effect: 'count', resource, name });
  }

  /**
   * Stores an object from another cluster, and keeps the resource version of the object, if it has one. Does not call listeners,
   * and adds nothing to the history. For this reason, watches that start at an earlier version do not receive this object.
   */
  restore(collection: Collection, object: ServerObject): void {
    const version = Number(object.metadata.resourceVersion);
    const isVersion = Number.isSafeInteger(version) && version > 0;
    this.#version = isVersion ? Math.max(this.#version, version) : this.#version + 1;
    const { namespace = '', name } = object.metadata;
    collection.counts.set(`${namespace}/${name}`, RESTORED);
    collection.table.put(withVersion(object, isVersion ? version : this.#version));
  }

  /** Removes an object. @returns its last state, with the version of the removal */
  remove(collection: Collection, object: ServerObject): ServerObject {
    const { namespace = '', name } = object.metadata;
    const previous = collection.table.get(namespace, name) ?? object;
    const removed = withVersion(previous, this.#version + 1);
    this.#remove(collection, removed, previous);
    return removed;
  }

  #remove(collection: Collection, removed: ServerObject, previous: ServerObject): void {
    const version = ++this.#version;
    collection.table.remove(removed);
    this.#effects?.push({ effect: 'remove', resource: collection.resource, object: removed, previous });
    this.#note(collection, { version, object: removed, previous, isDeletion: true });
  }

  /** Returns the result of a function, and the changes that the function made. */
  recorded<Result>(work: () => Result): { readonly result: Result; readonly effects: readonly StoreEffect[] } {
    const effects: StoreEffect[] = [];
    this.#effects = effects;
    try {
      return { result: work(), effects };
    } finally {
      this.#effects = undefined;
    }
  }

  /** Makes changes that `recorded` returned for a store with the same contents. Listeners receive these changes, too. */
  repeat(effects: readonly StoreEffect[]): void {
    for (const each of effects) {
      const collection = this.collection(each.resource);
      if (each.effect === 'count') collection.counts.add(each.name);
      else if (each.effect === 'put') this.#put(collection, each.object);
      else this.#remove(collection, each.object, each.previous);
    }
  }

  #note(collection: Collection, change: StoredChange): void {
    collection.history.add(change);
    for (const listener of collection.listeners)
      this.#pending.push(() => collection.listeners.has(listener) && listener(change));
  }

  /** Runs an action after all earlier changes were delivered. If no delivery is in progress, the action runs at once. */
  afterDelivery(action: () => void): void {
    this.#pending.push(action);
    this.deliver();
  }

  deliver(): void {
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    try {
      for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) next();
    } finally {
      this.#isDelivering = false;
    }
  }

  /**
   * Drops history up to a version.
   *
   * @param keep - number of recent changes per resource that watches can still request
   */
  compact(version: number, keep: number): void {
    this.#compacted = Math.max(this.#compacted, Math.min(version, this.#version));
    for (const collection of this.#collections.values()) collection.history.compact(this.#compacted, keep);
  }

  /** Returns all stored objects, by resource, in the order of the resources. */
  dump(): JsonObject {
    const filled = [...this.#collections.values()].filter(({ table }) => table.list().length > 0);
    return Object.fromEntries(
      filled
        .toSorted((a, b) => (a.resource < b.resource ? -1 : 1))
        .map(({ resource, table }) => [resource, table.list()]),
    );
  }
}
