import type { Labels } from '#lib/desired/selection.ts';
import { memberOf } from '#lib/json.ts';
import type { Key } from '#lib/loop/key.ts';
import type { CachedObject } from './projection.ts';

type Objects = Map<Key, CachedObject>;
/** By value of a label, and by namespace. */
type Values = Map<string, Map<string, Objects>>;

/** Labels that are indexed at most, those asked for last: selectors may come from specs, and each label costs an entry per object. */
const MOST_LABELS = 16;
/** Labels of one selector that are looked at. */
const LABELS_OF_ONE = 8;

const valueOf = ({ metadata }: CachedObject, label: string): string | undefined => {
  const value = memberOf(metadata.labels, label);
  return typeof value === 'string' ? value : undefined;
};

const put = (values: Values, value: string, { key, object }: { readonly key: Key; readonly object: CachedObject }) => {
  const { namespace = '' } = object.metadata;
  const namespaces = values.get(value) ?? new Map<string, Objects>();
  const objects = namespaces.get(namespace) ?? new Map<Key, CachedObject>();
  values.set(value, namespaces.set(namespace, objects.set(key, object)));
};

const sizeOf = (group: readonly Objects[]): number => group.reduce((sum, { size }) => sum + size, 0);

/** Objects by their labels, label for label as it is first asked for. */
export class LabelIndex {
  readonly #byLabel = new Map<string, Values>();

  put(key: Key, object: CachedObject): void {
    for (const [label, values] of this.#byLabel) {
      const value = valueOf(object, label);
      if (value !== undefined) put(values, value, { key, object });
    }
  }

  remove(key: Key, object: CachedObject): void {
    const { namespace = '' } = object.metadata;
    for (const [label, values] of this.#byLabel) {
      const value = valueOf(object, label) ?? '';
      const namespaces = values.get(value);
      const objects = namespaces?.get(namespace);
      if (objects?.delete(key) && objects.size === 0) namespaces?.delete(namespace);
      if (namespaces?.size === 0) values.delete(value);
    }
  }

  /**
   * The objects that carry one of the labels, that which fewest carry.
   *
   * @param namespace - undefined for all
   * @param all - what is indexed, where a label is asked for the first time
   * @returns undefined when there are no labels
   */
  candidates(
    labels: Labels,
    namespace: string | undefined,
    all: () => Iterable<readonly [Key, CachedObject]>,
  ): readonly CachedObject[] | undefined {
    const entries = Object.entries(labels).slice(0, LABELS_OF_ONE);
    const found = entries.map(([label, value]) => this.#valuesOf(label, all).get(value) ?? new Map<string, Objects>());
    const groups = found.map((namespaces) =>
      namespace === undefined ? [...namespaces.values()] : [namespaces.get(namespace) ?? new Map<Key, CachedObject>()],
    );
    const [smallest] = groups.toSorted((a, b) => sizeOf(a) - sizeOf(b));
    return smallest?.flatMap((objects) => [...objects.values()]);
  }

  #valuesOf(label: string, all: () => Iterable<readonly [Key, CachedObject]>): Values {
    const values = this.#byLabel.get(label) ?? this.#indexed(label, all());
    this.#byLabel.delete(label);
    this.#byLabel.set(label, values);
    const [longestAgo = label] = this.#byLabel.keys();
    if (this.#byLabel.size > MOST_LABELS) this.#byLabel.delete(longestAgo);
    return values;
  }

  #indexed(label: string, all: Iterable<readonly [Key, CachedObject]>): Values {
    const values: Values = new Map();
    for (const [key, object] of all) {
      const value = valueOf(object, label);
      if (value !== undefined) put(values, value, { key, object });
    }
    return values;
  }
}
