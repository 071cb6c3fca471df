/**
 * The time after which no further work begins in one turn of the event loop, in milliseconds. Probes, leases and responses wait
 * for the end of the turn.
 */
const TURN_MS = 8;

/**
 * Divides long work into several turns of the event loop, so that other callbacks run in between.
 *
 * @example
 * const turn = new WorkTurn(() => performance.now());
 * const work = (): void => {
 *   while (hasWork() && turn.hasTime(work)) doNext();
 * };
 */
export class WorkTurn {
  readonly #elapsed: () => number;
  readonly #waiting = new Set<() => void>();
  /** The time of the first work in this turn of the event loop. */
  #began: number | undefined;

  /** @param elapsed - a clock in milliseconds that never goes back */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /**
   * Whether more work may be done in this turn. True for 8 ms after the first call in the turn, while no other work waits.
   *
   * @param proceed - called once in the next turn if the result is `false`
   */
  hasTime(proceed: () => void): boolean {
    const now = this.#elapsed();
    if (this.#began === undefined) {
      this.#began = now;
      setImmediate(() => this.#end());
    }
    // New work waits behind the work that already waits, even if the clock stands still.
    if (this.#waiting.size === 0 && now - this.#began < TURN_MS) return true;
    this.#waiting.add(proceed);
    return false;
  }

  #end(): void {
    this.#began = undefined;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const proceed of waiting) proceed();
  }
}
