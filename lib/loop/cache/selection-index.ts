import { carries, type Labels } from '#lib/desired/observe/selection.ts';
import { memberOf } from '#lib/json.ts';
import type { CachedObject } from './projection/projection.ts';

/** A query for objects by namespace and labels. */
export interface Selection {
  /** The namespace of the objects; undefined for all namespaces. */
  readonly namespace: string | undefined;
  /** The labels of the objects; empty for all objects. */
  readonly labels: Labels;
  /**
   * Selects only objects without a controller; for `strays`, only those of them with the annotation of an intent. @default all
   * objects
   */
  readonly among?: 'uncontrolled' | 'strays';
}

/** Objects of one namespace, by name. */
type Objects = Map<string, CachedObject>;
/** Objects by the value of a label, and then by namespace. */
type Values = Map<string, Map<string, Objects>>;

/** An artificial label that every object has, to find objects by namespace alone. */
const EVERY = '';
/**
 * The maximum number of indexed labels; the last queried labels are kept. A limit is needed because selectors may come from
 * specs, and the index of a label needs memory for each object.
 */
const MOST_LABELS = 16;
/** The maximum number of labels of one query that the index uses. All labels of the query are compared afterwards. */
const LABELS_OF_ONE = 8;

const valueOf = ({ metadata }: CachedObject, label: string): string | undefined => {
  const value = label === EVERY ? EVERY : memberOf(metadata.labels, label);
  return typeof value === 'string' ? value : undefined;
};

const sizeOf = (group: readonly Objects[]): number => group.reduce((sum, { size }) => sum + size, 0);

/**
 * An index of a cache by namespace and labels. Most caches get no label queries, so a label is indexed at its first query.
 * From then on, the index is kept up to date. The cost of a later query is at most proportional to the number of objects with the
 * rarest of its first eight labels.
 *
 * Caveats: at most 16 labels are indexed at a time; if queries alternate among more labels, each query walks over all objects.
 */
export class SelectionIndex {
  readonly #belongs: (object: CachedObject) => boolean;
  readonly #byLabel = new Map<string, Values>();
  #size = 0;

  /** @param belongs - whether an object is indexed */
  constructor(belongs: (object: CachedObject) => boolean) {
    this.#belongs = belongs;
  }

  /** Adds an object whose namespace and name are not in the index. */
  put(object: CachedObject): void {
    if (!this.#belongs(object)) return;
    this.#size += 1;
    for (const [label, values] of this.#byLabel) this.#file(object, { label, values });
  }

  /** Removes an object that was added. */
  remove(object: CachedObject): void {
    if (!this.#belongs(object)) return;
    this.#size -= 1;
    const { namespace = '', name } = object.metadata;
    for (const [label, values] of this.#byLabel) {
      const value = valueOf(object, label) ?? '';
      const namespaces = values.get(value);
      const objects = namespaces?.get(namespace);
      if (objects?.delete(name) && objects.size === 0) namespaces?.delete(namespace);
      if (namespaces?.size === 0) values.delete(value);
    }
  }

  /**
   * @param all - the objects of the cache
   * @returns the matching objects, in no order
   */
  select({ namespace, labels }: Selection, all: Iterable<CachedObject>): readonly CachedObject[] {
    if (this.#size === 0) return [];
    const entries = Object.entries(labels).slice(0, LABELS_OF_ONE);
    if (entries.length === 0 && namespace === undefined) return [...all].filter(this.#belongs);
    const asked = entries.length === 0 ? [[EVERY, EVERY] as const] : entries;
    const groups = asked.map(([label, value]) => {
      const namespaces = this.#valuesOf(label, all).get(value);
      const found = namespace === undefined ? namespaces?.values() : [namespaces?.get(namespace)];
      return [...(found ?? [])].filter((objects) => objects !== undefined);
    });
    const [rarest = []] = groups.toSorted((a, b) => sizeOf(a) - sizeOf(b));
    return rarest.flatMap((objects) => [...objects.values()]).filter((object) => carries(object, labels));
  }

  #file(object: CachedObject, { label, values }: { readonly label: string; readonly values: Values }): void {
    const value = valueOf(object, label);
    if (value === undefined) return;
    const { namespace = '', name } = object.metadata;
    const namespaces = values.get(value) ?? new Map<string, Objects>();
    const objects = namespaces.get(namespace) ?? new Map<string, CachedObject>();
    values.set(value, namespaces.set(namespace, objects.set(name, object)));
  }

  #valuesOf(label: string, all: Iterable<CachedObject>): Values {
    const values = this.#byLabel.get(label) ?? this.#indexed(label, all);
    this.#byLabel.delete(label);
    this.#byLabel.set(label, values);
    const labels = [...this.#byLabel.keys()].filter((each) => each !== EVERY);
    if (labels.length > MOST_LABELS) this.#byLabel.delete(labels[0] ?? EVERY);
    return values;
  }

  #indexed(label: string, all: Iterable<CachedObject>): Values {
    const values: Values = new Map();
    for (const object of all) if (this.#belongs(object)) this.#file(object, { label, values });
    return values;
  }
}
