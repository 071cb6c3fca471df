/** What has to be ended of what was begun: the last first. */
export class Endings {
  readonly #endings: (() => void | Promise<void>)[] = [];
  #ended: Promise<void> | undefined;

  add(ending: () => void | Promise<void>): void {
    this.#endings.push(ending);
  }

  /**
   * Ends everything, also when some of it fails. A second call waits for the first.
   *
   * @throws what failed; several failures as one AggregateError
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
