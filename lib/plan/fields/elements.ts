import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { type FieldTree, OWNER } from './pin.ts';

/** The key fields for which the API server has a default, with this default. */
const defaultedKeys: Readonly<Record<string, unknown>> = { protocol: 'TCP' };

/** The entry of an element in managed fields, such as `k:{"name":"main"}`, and its position among the entries of the list. */
export interface ElementStep {
  readonly step: string;
  readonly rank: number;
}

/** Makes one map key of the values of several key fields. Most elements have one key field; its value is used as it is. */
const identityOf = (values: readonly unknown[]): unknown => (values.length === 1 ? values[0] : JSON.stringify(values));

/** Entries with the same key fields, by the values of these fields. */
class Keyed {
  readonly #names: readonly string[];
  readonly #steps = new Map<unknown, ElementStep>();

  constructor(names: readonly string[]) {
    this.#names = names;
  }

  add(values: readonly unknown[], step: ElementStep): void {
    this.#steps.set(identityOf(values), step);
  }

  of(element: JsonObject, owner: string): readonly ElementStep[] {
    const values = this.#names.map((name) => element[name] ?? defaultedKeys[name]);
    const found = this.#steps.get(identityOf(values));
    const steps = found === undefined ? [] : [found];
    if (!values.includes(owner)) return steps;
    const owned = this.#steps.get(identityOf(values.map((value) => (value === owner ? OWNER : value))));
    return owned === undefined ? steps : [...steps, owned];
  }
}

/**
 * The entries of one list in managed fields, which are found by an element of the list.
 *
 * Each entry is parsed once. The cost grows with the number of entries plus the number of elements, and not with their product.
 * The cost matters, because a user decides how many elements a list has.
 */
export class ElementSteps {
  readonly #keyed = new Map<string, Keyed>();
  readonly #values = new Map<string, ElementStep>();

  /** @param tree - the fields of the list that a manager owns */
  constructor(tree: FieldTree) {
    for (const [rank, step] of Object.keys(tree).entries()) {
      const text = step.slice('k:'.length);
      if (step.startsWith('k:')) this.#addKeys(JSON.parse(text) as JsonObject, { step, rank });
      if (step.startsWith('v:')) this.#values.set(text, { step, rank });
    }
  }

  #addKeys(keys: JsonObject, step: ElementStep): void {
    const names = Object.keys(keys);
    const shape = JSON.stringify(names);
    const keyed = this.#keyed.get(shape) ?? new Keyed(names);
    this.#keyed.set(shape, keyed);
    keyed.add(Object.values(keys), step);
  }

  /**
   * All entries for an element, in the order of the tree; empty if there are none.
   *
   * @param owner - the uid of the owner, for which {@link OWNER} stands in an entry
   */
  of(element: unknown, owner: string): readonly ElementStep[] {
    const byValue = this.#values.size === 0 ? undefined : this.#values.get(JSON.stringify(element));
    const found = byValue === undefined ? [] : [byValue];
    if (isPlainObject(element)) for (const keyed of this.#keyed.values()) found.push(...keyed.of(element, owner));
    return found.toSorted((a, b) => a.rank - b.rank);
  }

  /** Returns, for each entry that belongs to elements of `list`, the index of the first of these elements. */
  placesIn(list: readonly unknown[], owner: string): ReadonlyMap<string, number> {
    const places = new Map<string, number>();
    for (const [place, element] of list.entries())
      for (const { step } of this.of(element, owner)) if (!places.has(step)) places.set(step, place);
    return places;
  }
}
