import { ApiError, NotSentError } from '#lib/errors.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';
import { type Key, keyOf } from '#lib/loop/context/key.ts';
import { backoffMs } from '#lib/loop/queue/backoff.ts';
import { Lane } from '#lib/loop/queue/lane.ts';

/**
 * The response of priority and fairness and of the limit of requests in flight, before any handler gets the request (apiserver
 * `filters/priority-and-fairness.go`, `filters/maxinflight.go`: `tooManyRequests`). `test/cluster/refused/distress.ts` gets it
 * from a real server.
 */
const busyServer = /^too many requests, please try again later\.?$/i;

/** True when the API server as a whole has too much to do. Any other 429 concerns one resource or kind. */
export const isOverload = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.httpStatus === 429 && busyServer.test(error.serverMessage.trim());

/** As many writes as there are connections by default: more would only wait for one. */
export const DEFAULT_WRITES_IN_FLIGHT = 16;

/** How long nothing is written when even one write at a time is too much: doubled with every refusal in a row. Milliseconds. */
const PAUSE = { initialMs: 2000, maxMs: 30_000 };

/** Options of {@link WriteSlots}. */
export interface WriteSlotsOptions {
  readonly timers: Timers;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** The most writes under way at once, an integer >= 1. */
  readonly max: number;
}

/** The current limit of writes, and the waiting ones: JSON, for bug reports and for comparing states. */
export interface WriteSlotsState {
  readonly limit: number;
  readonly underWay: number;
  /** How many writes wait for a slot. */
  readonly waiting: number;
  /** How long nothing is written yet, in milliseconds. */
  readonly pausedMs: number;
}

/**
 * Limits the concurrent writes of this process, and lowers the limit while the API server is overloaded.
 *
 * Flow: `run` waits for a slot → the write → its outcome: accepted writes raise the limit by one per round of writes; a 429 of
 * priority and fairness or of the limit of requests in flight halves it, once for all writes that ran together. When a single
 * write at a time is refused, no write starts until the server's `Retry-After`, with jitter, or a growing pause is over.
 *
 * Guarantees: namespaces take turns; within a namespace, writes begin in the order of their calls. A waiting write costs no
 * request, and is refused with `NotSentError` when the slots are closed.
 *
 * @see https://datatracker.ietf.org/doc/html/rfc5681#section-3.1 (additive increase, multiplicative decrease)
 */
export class WriteSlots {
  readonly #options: WriteSlotsOptions;
  readonly #lane = new Lane();
  readonly #waiting = new Map<Key, PromiseWithResolvers<void>>();
  #limit: number;
  #underWay = 0;
  /** Rises with every decrease: writes that were under way before it count for no other. */
  #round = 0;
  #orders = 0;
  #refusedInARow = 0;
  /** By `Timers.elapsed`. */
  #pausedUntil = -Infinity;
  #cancelTimer: () => void = () => undefined;
  #closed = false;

  constructor(options: WriteSlotsOptions) {
    this.#options = options;
    this.#limit = options.max;
  }

  /** How many writes may be under way now. */
  get limit(): number {
    return Math.floor(this.#limit);
  }

  /** How many writes wait for a slot. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** @returns undefined when nothing is under way and nothing is slowed down */
  inspect(): WriteSlotsState | undefined {
    const pausedMs = Math.max(0, this.#pausedUntil - this.#options.timers.elapsed());
    const atRest = this.#underWay === 0 && this.#limit === this.#options.max && pausedMs === 0;
    if (atRest) return undefined;
    return { limit: this.#limit, underWay: this.#underWay, waiting: this.waiting, pausedMs };
  }

  /**
   * Executes a write when a slot is free.
   *
   * @param namespace - whose turn it takes; empty for a cluster-scoped object
   * @throws {NotSentError} when the slots are closed before one is free; otherwise the error of `write`
   */
  async run<T>(namespace: string, write: () => Promise<T>): Promise<T> {
    if (!this.#isFree() || this.#waiting.size > 0) await this.#turnOf(namespace);
    this.#underWay += 1;
    const round = this.#round;
    try {
      const result = await write();
      this.#accepted();
      return result;
    } catch (error) {
      if (isOverload(error)) this.#refused(round, error.retryAfterMs ?? 0);
      throw error;
    } finally {
      this.#underWay -= 1;
      this.#pump();
    }
  }

  /** Refuses waiting writes; running ones end. */
  close(): void {
    this.#closed = true;
    this.#cancelTimer();
    for (const { reject } of this.#waiting.values()) reject(stopped());
    this.#waiting.clear();
  }

  #isFree(): boolean {
    return this.#underWay < this.limit && this.#options.timers.elapsed() >= this.#pausedUntil;
  }

  async #turnOf(namespace: string): Promise<void> {
    if (this.#closed) throw stopped();
    const place = keyOf(namespace, String(this.#orders++));
    const turn = Promise.withResolvers<void>();
    this.#waiting.set(place, turn);
    this.#lane.add(place);
    await turn.promise;
    // Reserved by `#pump` until this promise resolved.
    this.#underWay -= 1;
  }

  #pump(): void {
    while (!this.#closed && this.#isFree()) {
      const place = this.#lane.take();
      if (place === undefined) return;
      this.#underWay += 1;
      this.#waiting.get(place)?.resolve();
      this.#waiting.delete(place);
    }
  }

  #accepted(): void {
    this.#refusedInARow = 0;
    this.#limit = Math.min(this.#options.max, this.#limit + 1 / this.#limit);
  }

  #refused(round: number, askedMs: number): void {
    if (round !== this.#round) return;
    this.#round += 1;
    if (this.limit > 1) this.#limit = Math.floor(this.#limit / 2);
    else this.#pause(askedMs);
  }

  #pause(askedMs: number): void {
    const { timers, random } = this.#options;
    this.#limit = 1;
    this.#refusedInARow += 1;
    const pauseMs = Math.max(askedMs * (1 + random()), backoffMs(this.#refusedInARow, { ...PAUSE, random }));
    this.#pausedUntil = timers.elapsed() + pauseMs;
    this.#cancelTimer();
    this.#cancelTimer = timers.setTimer(pauseMs, () => {
      // Timers fire a fraction of a millisecond early.
      this.#pausedUntil = -Infinity;
      this.#pump();
    });
  }
}

const stopped = (): NotSentError => new NotSentError('Not sent: the loop is stopping');
