import type { ServerObject } from '#lib/apiserver/machinery/object.ts';

const NONE: readonly ServerObject[] = Object.freeze([]);

/** Returns the index of a text in a sorted list, or the index at which to insert the text. */
const positionIn = (sorted: readonly string[], text: string): number => {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? '') < text) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** The objects of one namespace, sorted by name. */
class Shelf {
  readonly #objects = new Map<string, ServerObject>();
  readonly #names: string[] = [];
  #list: readonly ServerObject[] | undefined;

  get size(): number {
    return this.#names.length;
  }

  get(name: string): ServerObject | undefined {
    return this.#objects.get(name);
  }

  put(name: string, object: ServerObject): void {
    if (!this.#objects.has(name)) this.#names.splice(positionIn(this.#names, name), 0, name);
    this.#objects.set(name, object);
    this.#list = undefined;
  }

  remove(name: string): void {
    if (!this.#objects.delete(name)) return;
    this.#names.splice(positionIn(this.#names, name), 1);
    this.#list = undefined;
  }

  list(): readonly ServerObject[] {
    this.#list ??= Object.freeze(this.#names.flatMap((name) => this.#objects.get(name) ?? []));
    return this.#list;
  }
}

/**
 * The objects of one resource, in the order of their keys in etcd: `namespace/name`, byte by byte. Lists are cached until the
 * next change.
 */
export class SortedTable {
  readonly #shelves = new Map<string, Shelf>();
  /** The namespaces, each with a slash at the end, as in the keys of etcd. Because of the slash, `a-b` sorts before `a`. */
  readonly #namespaces: string[] = [];
  #list: readonly ServerObject[] | undefined;

  get(namespace: string, name: string): ServerObject | undefined {
    return this.#shelves.get(namespace)?.get(name);
  }

  put(object: ServerObject): void {
    const { namespace = '', name } = object.metadata;
    let shelf = this.#shelves.get(namespace);
    if (shelf === undefined) {
      shelf = new Shelf();
      this.#shelves.set(namespace, shelf);
      const prefix = `${namespace}/`;
      this.#namespaces.splice(positionIn(this.#namespaces, prefix), 0, prefix);
    }
    shelf.put(name, object);
    this.#list = undefined;
  }

  remove({ metadata: { namespace = '', name } }: ServerObject): void {
    const shelf = this.#shelves.get(namespace);
    if (shelf === undefined) return;
    shelf.remove(name);
    this.#list = undefined;
    if (shelf.size > 0) return;
    this.#shelves.delete(namespace);
    this.#namespaces.splice(positionIn(this.#namespaces, `${namespace}/`), 1);
  }

  copy(): SortedTable {
    const copy = new SortedTable();
    for (const object of this.list()) copy.put(object);
    return copy;
  }

  list(namespace?: string): readonly ServerObject[] {
    if (namespace !== undefined) return this.#shelves.get(namespace)?.list() ?? NONE;
    this.#list ??= Object.freeze(
      this.#namespaces.flatMap((prefix) => this.#shelves.get(prefix.slice(0, -1))?.list() ?? []),
    );
    return this.#list;
  }
}
