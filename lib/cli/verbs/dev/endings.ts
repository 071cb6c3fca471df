/**
 * Ends what was opened, in the reverse order. Node.js has it from version 24 on, as `AsyncDisposableStack`.
 *
 * **Guarantees**: a failure does not keep the others from ending; the first one is thrown.
 */
export class Endings implements AsyncDisposable {
  #ends: (() => unknown)[] = [];

  /** Ends a value with this. @returns the value */
  use<T extends AsyncDisposable>(value: T): T {
    return this.adopt(value, () => value[Symbol.asyncDispose]());
  }

  /** Ends a value with this, by a function. @returns the value */
  adopt<T>(value: T, end: (value: T) => unknown): T {
    this.#ends.push(() => end(value));
    return value;
  }

  /** Ends something with this. */
  defer(end: () => unknown): void {
    this.#ends.push(end);
  }

  /** Gives everything to a new one, and ends nothing here. */
  move(): Endings {
    const moved = new Endings();
    moved.#ends = this.#ends;
    this.#ends = [];
    return moved;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const failures: unknown[] = [];
    for (const end of this.#ends.splice(0).toReversed()) {
      try {
        await end();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
