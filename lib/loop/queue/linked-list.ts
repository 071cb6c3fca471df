/** A place in a list. */
export interface Place<T> {
  readonly value: T;
  previous: Place<T> | undefined;
  next: Place<T> | undefined;
}

/**
 * A list from which anything can be removed at once, wherever it stands. (A `Set` keeps holes at its front where values were
 * deleted, and walks over them at every look at its first.)
 */
export class LinkedList<T> {
  #first: Place<T> | undefined;
  #last: Place<T> | undefined;

  /** The value at the front. */
  get first(): T | undefined {
    return this.#first?.value;
  }

  /** Puts a value at the end; the place that it gets is needed to remove it. */
  append(value: T): Place<T> {
    const place: Place<T> = { value, previous: this.#last, next: undefined };
    if (this.#last) this.#last.next = place;
    else this.#first = place;
    this.#last = place;
    return place;
  }

  /** Removes the value at a place of this list, once. */
  remove({ previous, next }: Place<T>): void {
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
  }

  /** From the front to the end. */
  *values(): Generator<T> {
    for (let place = this.#first; place; place = place.next) yield place.value;
  }
}
