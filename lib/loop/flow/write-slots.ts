import { ApiError, NotSentError } from '#lib/errors.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';
import { type Key, keyOf } from '#lib/loop/context/key.ts';
import { backoffMs } from '#lib/loop/queue/backoff.ts';
import { Lane } from '#lib/loop/queue/lane.ts';

/**
 * The message of a 429 by API priority and fairness, or by the limit of requests in flight. The API server sends this message
 * before any handler gets the request (apiserver `filters/priority-and-fairness.go`, `filters/maxinflight.go`:
 * `tooManyRequests`). `test/cluster/refused/distress.ts` checks the message of a real server.
 */
const busyServer = /^too many requests, please try again later\.?$/i;

/** Whether an error shows that the whole API server is overloaded. Any other 429 concerns one resource or kind. */
export const isOverload = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.httpStatus === 429 && busyServer.test(error.serverMessage.trim());

/**
 * The default limit of concurrent writes. The limit equals the number of connections, because further writes would only wait for
 * a connection.
 */
export const DEFAULT_WRITES_IN_FLIGHT = 16;

/** The pause of all writes after a refusal while the limit is one, in milliseconds. It doubles with each further refusal. */
const PAUSE = { initialMs: 2000, maxMs: 30_000 };

/** Options of {@link WriteSlots}. */
export interface WriteSlotsOptions {
  readonly timers: Timers;
  /** Returns a random number, uniform in [0, 1). */
  readonly random: () => number;
  /** The maximum number of concurrent writes, an integer ≥ 1. */
  readonly max: number;
}

/** The current limit of writes and the waiting writes as JSON, for bug reports and for comparing states. */
export interface WriteSlotsState {
  readonly limit: number;
  readonly underWay: number;
  readonly waiting: number;
  /** The rest of the current pause of all writes, in milliseconds. */
  readonly pausedMs: number;
}

/**
 * Limits the concurrent writes of this process, and lowers the limit while the API server is overloaded.
 *
 * Flow: `run` waits for a slot, then calls the write. When as many writes as the limit were accepted, the limit grows by one. A
 * refusal because of overload ({@link isOverload}) halves the limit, once for all writes that ran at that time. If the limit is
 * one and a write is refused, no write starts during a pause. The pause is the longer of two times: a growing back-off, and the
 * server's `Retry-After` plus a random part.
 *
 * Guarantees: namespaces take turns; within a namespace, writes begin in the order of their calls. A waiting write sends no
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
  /** The number of decreases and pauses. A refused write that began before the last of them does not lower the limit again. */
  #round = 0;
  #orders = 0;
  #refusedInARow = 0;
  /** The end of the pause of all writes, by `Timers.elapsed`. */
  #pausedUntil = -Infinity;
  #cancelTimer: () => void = () => undefined;
  #closed = false;

  constructor(options: WriteSlotsOptions) {
    this.#options = options;
    this.#limit = options.max;
  }

  get limit(): number {
    return Math.floor(this.#limit);
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** @returns undefined when no write is running, the limit is not lowered, and there is no pause */
  inspect(): WriteSlotsState | undefined {
    const pausedMs = Math.max(0, this.#pausedUntil - this.#options.timers.elapsed());
    const atRest = this.#underWay === 0 && this.#limit === this.#options.max && pausedMs === 0;
    if (atRest) return undefined;
    return { limit: this.#limit, underWay: this.#underWay, waiting: this.waiting, pausedMs };
  }

  /**
   * Executes a write when a slot is free.
   *
   * @param namespace - the namespace of the object, which decides the turn of the write; empty for a cluster-scoped object
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

  /** Refuses the waiting writes. Running writes are not affected. */
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
    // `#pump` counted this write in advance to reserve the slot. From here on, `run` counts the write.
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
      // Timers fire a fraction of a millisecond early, so the pause is ended explicitly.
      this.#pausedUntil = -Infinity;
      this.#pump();
    });
  }
}

const stopped = (): NotSentError => new NotSentError('Not sent: the loop is stopping');
