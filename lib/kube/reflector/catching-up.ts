import { compareResourceVersions } from '#lib/kube/interface/resource-version.ts';

/** A call that waits until a sink has all changes up to a moment. */
export interface CatchUpWaiter {
  /** The moment, by `Timers.elapsed`. */
  readonly sinceMs: number;
  /** A version that the server had after that moment. Undefined when only another complete list can end the wait. */
  version: string | undefined;
  readonly settle: (holds: boolean) => void;
}

const isNumber = (version: string): boolean => /^\d+$/.test(version);

/** Whether a watch has reached a version. False for versions that are not numbers, because their order does not reflect age. */
const isReached = (version: string, reached: string): boolean =>
  isNumber(version) && isNumber(reached) && compareResourceVersions(reached, version) >= 0;

/**
 * The calls that wait until a reflector has all changes up to a moment.
 *
 * Flow: `wait` begins a wait → `reached` is called for every version that the watch reaches, and `filled` after each complete
 * list → the wait resolves.
 */
export class CatchingUp {
  #waiters: readonly CatchUpWaiter[] = [];

  /** Whether a wait can only end by another complete list. */
  get needsReading(): boolean {
    return this.#waiters.some(({ version }) => version === undefined);
  }

  /** Whether a wait can end by a version that the watch reaches. */
  get needsBookmark(): boolean {
    return this.#waiters.some(({ version }) => version !== undefined);
  }

  /** @returns true once the sink has all changes up to `sinceMs`; false when the reflector was stopped before */
  async wait(sinceMs: number, version: string | undefined): Promise<boolean> {
    const { promise, resolve: settle } = Promise.withResolvers<boolean>();
    this.#waiters = [...this.#waiters, { sinceMs, version, settle }];
    return promise;
  }

  /** Ends the waits for a version that the watch has reached. */
  reached(reached: string): void {
    if (this.#waiters.length > 0)
      this.#settle(({ version }) => version !== undefined && isReached(version, reached), true);
  }

  /** The current waits. A complete list that begins now ends all of them. */
  get waiting(): readonly CatchUpWaiter[] {
    return this.#waiters;
  }

  /** Ends waits after a complete list. @param waiting - the waits at the beginning of the list, at the time `fromMs` */
  filled(waiting: readonly CatchUpWaiter[], fromMs: number): void {
    this.#settle((waiter) => waiting.includes(waiter) || waiter.sinceMs < fromMs, true);
  }

  /** Called at the end of a watch with a short timeout. Only a complete list can end the remaining waits. */
  promptEnded(): void {
    for (const waiter of this.#waiters) waiter.version = undefined;
  }

  /** Ends all waits with false, because the reflector was stopped. */
  end(): void {
    this.#settle(() => true, false);
  }

  #settle(isAnswered: (waiter: CatchUpWaiter) => boolean, holds: boolean): void {
    const answered = this.#waiters.filter(isAnswered);
    this.#waiters = this.#waiters.filter((waiter) => !answered.includes(waiter));
    for (const { settle } of answered) settle(holds);
  }
}
