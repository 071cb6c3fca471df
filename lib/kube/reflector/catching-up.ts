import { compareResourceVersions } from '#lib/kube/interface/resource-version.ts';

/** A wait until a sink has the state of a moment. */
export interface CatchUpWaiter {
  /** The moment, by `Timers.elapsed`. */
  readonly sinceMs: number;
  /** A version that the server had reached after that moment; undefined when only another reading of everything helps. */
  version: string | undefined;
  readonly settle: (holds: boolean) => void;
}

const isNumber = (version: string): boolean => /^\d+$/.test(version);

/** Versions that are not numbers have no order of age. */
const isReached = (version: string, reached: string): boolean =>
  isNumber(version) && isNumber(reached) && compareResourceVersions(reached, version) >= 0;

/**
 * The calls that wait until a reflector has caught up with a moment.
 *
 * Flow: `wait` → `reached` for every version that the watch reaches, `filled` when a list is complete → the call resolves.
 */
export class CatchingUp {
  #waiters: readonly CatchUpWaiter[] = [];

  /** Whether a wait ends only when everything has been read again. */
  get needsReading(): boolean {
    return this.#waiters.some(({ version }) => version === undefined);
  }

  /** Whether a wait ends with the next version of the watch. */
  get needsBookmark(): boolean {
    return this.#waiters.some(({ version }) => version !== undefined);
  }

  /** @returns true once the sink has the state of `sinceMs`; false when it was stopped before */
  async wait(sinceMs: number, version: string | undefined): Promise<boolean> {
    const { promise, resolve: settle } = Promise.withResolvers<boolean>();
    this.#waiters = [...this.#waiters, { sinceMs, version, settle }];
    return promise;
  }

  /** The watch has brought everything up to a version. */
  reached(reached: string): void {
    if (this.#waiters.length > 0)
      this.#settle(({ version }) => version !== undefined && isReached(version, reached), true);
  }

  /** The waits of this moment: a reading of everything that begins now ends them. */
  get waiting(): readonly CatchUpWaiter[] {
    return this.#waiters;
  }

  /** Everything was read. @param waiting - the waits of the moment when the reading began, `fromMs` */
  filled(waiting: readonly CatchUpWaiter[], fromMs: number): void {
    this.#settle((waiter) => waiting.includes(waiter) || waiter.sinceMs < fromMs, true);
  }

  /** The watch that should have sent its version has ended. */
  promptEnded(): void {
    for (const waiter of this.#waiters) waiter.version = undefined;
  }

  /** Nothing will come any more. */
  end(): void {
    this.#settle(() => true, false);
  }

  #settle(isAnswered: (waiter: CatchUpWaiter) => boolean, holds: boolean): void {
    const answered = this.#waiters.filter(isAnswered);
    this.#waiters = this.#waiters.filter((waiter) => !answered.includes(waiter));
    for (const { settle } of answered) settle(holds);
  }
}
