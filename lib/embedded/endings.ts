/** Collects cleanups and runs them in reverse order. */
export class Endings {
  readonly #endings: (() => void | Promise<void>)[] = [];
  #ended: Promise<void> | undefined;

  add(ending: () => void | Promise<void>): void {
    this.#endings.push(ending);
  }

  /**
   * Runs all cleanups, even when some fail. A second call waits for the first.
   *
   * @throws the error of a failed cleanup; several errors as one AggregateError
   */
  run(): Promise<void> {
    this.#ended ??= this.#run();
    return this.#ended;
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
