import { type Key, namespaceOf } from '#lib/loop/key.ts';
import { LinkedList, type Place } from './linked-list.ts';

/** The keys of one namespace. */
type Turn = LinkedList<Key>;

/**
 * Keys of equal urgency.
 *
 * Guarantees: namespaces take turns, one key each, so that one with many keys delays another by one key per turn at most;
 * within a namespace, keys leave in the order in which they came. Every operation takes the same time however many there are.
 */
export class Lane {
  readonly #places = new Map<Key, Place<Key>>();
  /** Where each namespace that has keys stands in the round. */
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

  /** Removes and returns the key whose turn it is. */
  take(): Key | undefined {
    const key = this.#round.first?.first;
    if (key === undefined) return undefined;
    this.delete(key);
    this.#moveToEnd(namespaceOf(key));
    return key;
  }

  /** By namespace, those whose turn comes next first. */
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
