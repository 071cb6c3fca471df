import type { JsonObject } from '#lib/json.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { Counts } from './counts.ts';
import { freeze, noteAsOurs } from './frozen.ts';
import { type Change, History } from './history.ts';
import { Table } from './table.ts';

/** Who is told of changes. */
export type Watcher = (change: Change) => void;

/** The objects of one resource, what happened to them, and who wants to know. */
export interface Drawer {
  readonly resource: string;
  readonly table: Table;
  readonly history: History;
  readonly watchers: Set<Watcher>;
  /** How many objects of a key, and names of a base, there have been. */
  readonly counts: Counts;
}

/** How much a {@link Store} remembers. */
export interface StoreLimits {
  readonly history: number;
  readonly names: number;
}

/** How many objects of a name count as made elsewhere: the uid of the next one depends on it, and must be new. */
const RESTORED = 1_000_000;

const withVersion = (object: ServerObject, version: number): ServerObject => {
  const versioned = freeze({ ...object, metadata: { ...object.metadata, resourceVersion: String(version) } });
  noteAsOurs(versioned);
  return versioned;
};

/**
 * Everything that is stored, under one version that grows by one with every write.
 *
 * Guarantees: what is stored is frozen. Watchers hear of every write of their resource once and in order, also when
 * they write themselves: such a write is told of after the one that caused it.
 */
export class Store {
  readonly #drawers = new Map<string, Drawer>();
  readonly #limits: StoreLimits;
  readonly #untold: (() => void)[] = [];
  #isTelling = false;
  #version: number;
  #compacted: number;

  /**
   * @param start - the version before the first write
   * @param limits.history - how many changes of every resource watches can go back at least
   * @param limits.names - how many names of every resource are counted exactly
   */
  constructor(start: number, limits: StoreLimits) {
    this.#version = start;
    this.#compacted = start;
    this.#limits = limits;
  }

  /** A store of its own with the same contents and history; nobody watches it. */
  copy(): Store {
    const copy = new Store(this.#version, this.#limits);
    copy.#compacted = this.#compacted;
    for (const [resource, { table, history, counts }] of this.#drawers) {
      const drawer = {
        table: table.copy(),
        history: history.copy(),
        counts: counts.copy(),
        watchers: new Set<Watcher>(),
      };
      copy.#drawers.set(resource, { resource, ...drawer });
    }
    return copy;
  }

  get version(): number {
    return this.#version;
  }

  /** The version up to which all is forgotten. */
  get compacted(): number {
    return this.#compacted;
  }

  /** The drawer of a resource; made when there is none. */
  drawer(resource: string): Drawer {
    let drawer = this.#drawers.get(resource);
    if (drawer === undefined) {
      const history = new History(this.#version, this.#limits.history);
      drawer = { resource, table: new Table(), history, watchers: new Set(), counts: new Counts(this.#limits.names) };
      this.#drawers.set(resource, drawer);
    }
    return drawer;
  }

  /** The objects of a resource, without making room for one that is not known. */
  objects(resource: string, namespace?: string): readonly ServerObject[] {
    return this.#drawers.get(resource)?.table.list(namespace) ?? [];
  }

  /** The objects of a resource as they were at a version; `undefined` when that is forgotten. */
  objectsAt(resource: string, version: number): readonly ServerObject[] | undefined {
    if (version > this.#version || version < this.#compacted) return undefined;
    const drawer = this.#drawers.get(resource);
    if (drawer === undefined) return [];
    if (version < drawer.history.forgotten) return undefined;
    return drawer.history.undo(drawer.table.list(), version);
  }

  /** Stores an object. @returns it, with its version */
  put(drawer: Drawer, object: ServerObject): ServerObject {
    const { namespace = '', name } = object.metadata;
    const previous = drawer.table.get(namespace, name);
    const stored = withVersion(object, ++this.#version);
    drawer.table.put(stored);
    this.#note(drawer, {
      version: this.#version,
      object: stored,
      ...(previous && { previous }),
      isDeletion: false,
    });
    return stored;
  }

  /**
   * Stores an object as it was elsewhere, under its own version if it has one; nobody hears of it, and no watch can go back
   * before it.
   */
  restore(drawer: Drawer, object: ServerObject): void {
    const version = Number(object.metadata.resourceVersion);
    const isVersion = Number.isSafeInteger(version) && version > 0;
    this.#version = isVersion ? Math.max(this.#version, version) : this.#version + 1;
    const { namespace = '', name } = object.metadata;
    drawer.counts.set(`${namespace}/${name}`, RESTORED);
    drawer.table.put(withVersion(object, isVersion ? version : this.#version));
  }

  /** Removes what is stored. @returns its last state, with the version of the removal */
  remove(drawer: Drawer, object: ServerObject): ServerObject {
    const { namespace = '', name } = object.metadata;
    const previous = drawer.table.get(namespace, name) ?? object;
    const removed = withVersion(previous, ++this.#version);
    drawer.table.remove(removed);
    this.#note(drawer, { version: this.#version, object: removed, previous, isDeletion: true });
    return removed;
  }

  #note(drawer: Drawer, change: Change): void {
    drawer.history.add(change);
    for (const watcher of drawer.watchers) this.#untold.push(() => drawer.watchers.has(watcher) && watcher(change));
  }

  /** Does something when the watchers have heard all that happened before: at once, unless they are being told. */
  tellLater(action: () => void): void {
    this.#untold.push(action);
    this.tell();
  }

  /** Tells the watchers of all that they have not heard yet. */
  tell(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    try {
      for (let next = this.#untold.shift(); next !== undefined; next = this.#untold.shift()) next();
    } finally {
      this.#isTelling = false;
    }
  }

  /**
   * Forgets what happened up to a version.
   *
   * @param keep - so many changes of each resource are kept for watches
   */
  compact(version: number, keep: number): void {
    this.#compacted = Math.max(this.#compacted, Math.min(version, this.#version));
    for (const drawer of this.#drawers.values()) drawer.history.compact(this.#compacted, keep);
  }

  /** Everything that is stored, by resource. */
  dump(): JsonObject {
    const filled = [...this.#drawers.values()].filter(({ table }) => table.list().length > 0);
    return Object.fromEntries(
      filled
        .toSorted((a, b) => (a.resource < b.resource ? -1 : 1))
        .map(({ resource, table }) => [resource, table.list()]),
    );
  }
}
