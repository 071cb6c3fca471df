type Ending = () => void | PromiseLike<void>;

/**
 * Collects cleanup functions and runs them in reverse order. It replaces `AsyncDisposableStack`, which Node.js has from
 * version 24 on.
 *
 * Guarantees: if one function fails, the others still run. A second call of `run` returns the same promise.
 */
export class Endings implements AsyncDisposable {
  #endings: Ending[] = [];
  #ended: Promise<void> | undefined;

  /** Adds a cleanup function. */
  add(ending: Ending): void {
    this.#endings.push(ending);
  }

  /** Adds a value, and the function that ends the value. @returns the value */
  adopt<T>(value: T, end: (value: T) => void | PromiseLike<void>): T {
    this.#endings.push(() => end(value));
    return value;
  }

  /** Adds a disposable value. @returns the value */
  use<T extends AsyncDisposable | Disposable>(value: T): T {
    return this.adopt(value, () =>
      Symbol.asyncDispose in value ? value[Symbol.asyncDispose]() : value[Symbol.dispose](),
    );
  }

  /** Moves all functions to a new object; this object keeps none. */
  move(): Endings {
    const moved = new Endings();
    moved.#endings = this.#endings;
    this.#endings = [];
    return moved;
  }

  /**
   * Runs all functions once.
   *
   * @throws the error of a failed function; several errors as one AggregateError
   */
  run(): Promise<void> {
    // The functions start in a later microtask, because one of them may call `run`.
    this.#ended ??= Promise.resolve().then(() => this.#run());
    return this.#ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.run();
  }

  async #run(): Promise<void> {
    const errors: unknown[] = [];
    for (const ending of this.#endings.toReversed()) {
      try {
        await ending();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join('; '));
  }
}
