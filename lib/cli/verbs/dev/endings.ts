/**
 * Ends everything that was added, in reverse order. Stands for `AsyncDisposableStack`, which Node.js has from version 24 on.
 *
 * Guarantees: if one end fails, the others still run; the first failure is thrown.
 */
export class Endings implements AsyncDisposable {
  #ends: (() => unknown)[] = [];

  /** Adds a value that is disposed when this ends. @returns the value */
  use<T extends AsyncDisposable | Disposable>(value: T): T {
    return this.adopt(value, () =>
      Symbol.asyncDispose in value ? value[Symbol.asyncDispose]() : value[Symbol.dispose](),
    );
  }

  /** Adds a value, and the function that ends it. @returns the value */
  adopt<T>(value: T, end: (value: T) => unknown): T {
    this.#ends.push(() => end(value));
    return value;
  }

  /** Adds a function that runs when this ends. */
  defer(end: () => unknown): void {
    this.#ends.push(end);
  }

  /** Moves all ends to a new object; this one then ends nothing. */
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
