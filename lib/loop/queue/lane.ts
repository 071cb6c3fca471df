import { type Key, namespaceOf } from '#lib/loop/context/key.ts';

interface Place<T> {
  readonly value: T;
  previous: Place<T> | undefined;
  next: Place<T> | undefined;
}

/**
 * A list from which any element can be removed in constant time. A `Set` is not suitable: after deletions at its front, each
 * access to the first value walks over the deleted places.
 */
class LinkedList<T> {
  #first: Place<T> | undefined;
  #last: Place<T> | undefined;

  get first(): T | undefined {
    return this.#first?.value;
  }

  /** @returns the place, for `remove` */
  append(value: T): Place<T> {
    const place: Place<T> = { value, previous: this.#last, next: undefined };
    if (this.#last) this.#last.next = place;
    else this.#first = place;
    this.#last = place;
    return place;
  }

  /** Must be called at most once for each place of this list. */
  remove({ previous, next }: Place<T>): void {
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
  }

  *values(): Generator<T> {
    for (let place = this.#first; place; place = place.next) yield place.value;
  }
}

type Turn = LinkedList<Key>;

/**
 * A queue of keys in which namespaces take turns.
 *
 * Guarantees: namespaces take turns with one key each; a namespace that `isOpen` excludes is passed over. A namespace with many
 * keys delays another namespace by one key per turn at most. Within a namespace, keys leave in the order in which they came.
 * Adding and deleting a key takes constant time. Taking a key does too, apart from namespaces that `isOpen` excludes.
 */
export class Lane {
  readonly #places = new Map<Key, Place<Key>>();
  /** The place of each namespace in the order of turns. Only namespaces with keys have a place. */
  readonly #turns = new Map<string, Place<Turn>>();
  readonly #round = new LinkedList<Turn>();

  get size(): number {
    return this.#places.size;
  }

  /** Adds a key that is not in the lane. */
  add(key: Key): void {
    const namespace = namespaceOf(key);
    const turn = this.#turns.get(namespace) ?? this.#round.append(new LinkedList());
    this.#turns.set(namespace, turn);
    this.#places.set(key, turn.value.append(key));
  }

  /** Removes a key, if it is there. */
  delete(key: Key): void {
    const namespace = namespaceOf(key);
    const place = this.#places.get(key);
    const turn = this.#turns.get(namespace);
    if (!place || !turn) return;
    this.#places.delete(key);
    turn.value.remove(place);
    if (turn.value.first !== undefined) return;
    this.#turns.delete(namespace);
    this.#round.remove(turn);
  }

  /**
   * Removes and returns the next key.
   *
   * @param isOpen - whether a namespace may take its turn now. @default all may
   */
  take(isOpen: (namespace: string) => boolean = () => true): Key | undefined {
    for (const { first: key } of this.#round.values()) {
      if (key === undefined || !isOpen(namespaceOf(key))) continue;
      this.delete(key);
      this.#moveToEnd(namespaceOf(key));
      return key;
    }
    return undefined;
  }

  /** All keys, grouped by namespace. The namespace with the next turn is first. */
  keys(): Key[] {
    return [...this.#round.values()].flatMap((turn) => [...turn.values()]);
  }

  #moveToEnd(namespace: string): void {
    const turn = this.#turns.get(namespace);
    if (!turn) return;
    this.#round.remove(turn);
    this.#turns.set(namespace, this.#round.append(turn.value));
  }
}
