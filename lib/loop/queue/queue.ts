import type { Timers } from '#lib/kube/interface/timers.ts';
import type { Key } from '#lib/loop/context/key.ts';
import { type ControllerMetrics, noControllerMetrics } from '#lib/loop/context/metrics.ts';
import { backoffMs } from './backoff.ts';
import { type DelayState, Delays } from './delays.ts';
import { ReadyKeys } from './ready-keys.ts';
import { moreUrgent, type Priority } from './urgency.ts';

/** Options of {@link WorkQueue}. */
export interface QueueOptions {
  readonly timers: Timers;
  /** Returns a random number, uniform in [0, 1). */
  readonly random: () => number;
  /** Called when a key becomes ready to be taken. */
  readonly onReady: () => void;
  /** The metrics of the queue. @default none */
  readonly metrics?: ControllerMetrics;
  /** @default 100 */
  readonly initialBackoffMs?: number;
  /** @default 300_000 */
  readonly maxBackoffMs?: number;
}

/** The contents of a queue as JSON, for bug reports and for comparing states. */
export interface QueueState {
  /** The ready keys, by priority, grouped by namespace. The namespace with the next turn is first. */
  readonly ready: Readonly<Partial<Record<Priority, readonly Key[]>>>;
  /** The number of consecutive keys of other priorities that were taken while keys of this priority waited. */
  readonly passedOver: Readonly<Partial<Record<Priority, number>>>;
  /** The keys that were taken, and for which `done` has not been called yet. */
  readonly taken: readonly Key[];
  /** The taken keys that were added again, with the priority that they will have. */
  readonly meanwhile: Readonly<Record<string, Priority>>;
  readonly delays: Readonly<Record<string, DelayState>>;
  /** The number of consecutive failures, by key. */
  readonly failures: Readonly<Record<string, number>>;
}

/** A key that was taken from the queue, and its priority. */
export interface Taken {
  readonly key: Key;
  readonly priority: Priority;
}

/**
 * The keys that need a pass.
 *
 * Flow: `add` (or the end of a delay) makes a key ready; `take` removes the key and returns it to the caller; `done` ends the
 * work.
 *
 * Guarantees: the queue has a ready key once, even if it was added several times, with the most urgent of its priorities. A taken
 * key cannot be taken again before `done`; if it is added in the meantime, it is ready after `done`. More urgent keys leave
 * first, but keys of every priority leave after a bounded number of others ({@link ReadyKeys}). Within a priority, namespaces
 * take turns, and the keys of a namespace leave in the order in which they came. The earliest of several delays of one key
 * applies. The number of attempts is not limited. Adding and taking a key takes O(log n) at most.
 *
 * Assumptions: one thread; the caller that takes a key calls `done`.
 *
 * Caveats: taking a key ends its delay, because the pass decides again whether a delay is necessary.
 */
export class WorkQueue {
  readonly #options: QueueOptions;
  readonly #metrics: ControllerMetrics;
  readonly #ready = new ReadyKeys();
  /** The time at which each key became ready, by `Timers.elapsed`. */
  readonly #readySince = new Map<Key, number>();
  /** The time at which each key was taken, by `Timers.elapsed`. */
  readonly #taken = new Map<Key, number>();
  readonly #addedMeanwhile = new Map<Key, Priority>();
  readonly #delays: Delays;
  readonly #failures = new Map<Key, number>();
  #closed = false;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#metrics = options.metrics ?? noControllerMetrics;
    this.#delays = new Delays({ timers: options.timers, onDue: (key, priority) => this.add(key, priority) });
  }

  /** The number of ready keys. Taken keys do not count. */
  get depth(): number {
    return this.#ready.size;
  }

  get active(): number {
    return this.#taken.size;
  }

  /** The time since each taken key was taken, in milliseconds. */
  unfinishedMs(): readonly number[] {
    const now = this.#options.timers.elapsed();
    return [...this.#taken.values()].map((since) => now - since);
  }

  inspect(): QueueState {
    return {
      ready: this.#ready.inspect(),
      passedOver: this.#ready.inspectPatience(),
      taken: [...this.#taken.keys()],
      meanwhile: Object.fromEntries(this.#addedMeanwhile),
      delays: this.#delays.inspect(),
      failures: Object.fromEntries(this.#failures),
    };
  }

  /** Makes a key ready now, or after `done` if the key is taken. */
  add(key: Key, priority: Priority = 'child'): void {
    if (this.#closed) return;
    if (this.#taken.has(key)) {
      this.#addedMeanwhile.set(key, moreUrgent(this.#addedMeanwhile.get(key) ?? priority, priority));
      return;
    }
    if (!this.#ready.add(key, priority)) return;
    this.#readySince.set(key, this.#options.timers.elapsed());
    this.#metrics.added();
    this.#options.onReady();
  }

  /** Makes a key ready after `delayMs` milliseconds, unless its current delay ends earlier. */
  addAfter(key: Key, delayMs: number, priority: Priority = 'child'): void {
    if (!this.#closed) this.#delays.set(key, Math.max(0, delayMs), priority);
  }

  /**
   * Like {@link addAfter}, with the lowest priority and a delay that grows with the consecutive failures of the key.
   *
   * @param atLeastMs - the minimum delay, in milliseconds, for example one that the API server requested
   */
  addFailed(key: Key, atLeastMs = 0): void {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.#metrics.retried();
    const { initialBackoffMs: initialMs = 100, maxBackoffMs: maxMs = 300_000, random } = this.#options;
    this.addAfter(key, Math.max(atLeastMs, backoffMs(failures, { initialMs, maxMs, random })), 'resync');
  }

  /**
   * Like {@link addAfter}, with the lowest priority, for the end of a hold. The number of failures is reset, because holds have
   * their own back-off. Otherwise a long series of refusals would delay the retry after a single failure of another sort.
   *
   * @param delayMs - the time until the end of the hold, in milliseconds
   */
  addRefused(key: Key, delayMs: number): void {
    this.forget(key);
    this.#metrics.retried();
    this.addAfter(key, delayMs, 'resync');
  }

  /** Resets the number of failures of a key, after a success or when the resource no longer exists. */
  forget(key: Key): void {
    this.#failures.delete(key);
  }

  /** Removes and returns the next key; `undefined` when no key is ready. */
  take(): Taken | undefined {
    const taken = this.#ready.take();
    if (taken === undefined) return undefined;
    const now = this.#options.timers.elapsed();
    this.#metrics.taken(now - (this.#readySince.get(taken.key) ?? now));
    this.#readySince.delete(taken.key);
    this.#taken.set(taken.key, now);
    this.#delays.delete(taken.key);
    return taken;
  }

  /** Ends the work on a taken key. If the key was added in the meantime, it is ready now. */
  done(key: Key): void {
    const now = this.#options.timers.elapsed();
    this.#metrics.done(now - (this.#taken.get(key) ?? now));
    this.#taken.delete(key);
    const priority = this.#addedMeanwhile.get(key);
    if (priority === undefined) return;
    this.#addedMeanwhile.delete(key);
    this.add(key, priority);
  }

  /** Drops all ready and delayed keys, and ignores later additions. `done` may still be called for taken keys. */
  close(): void {
    this.#closed = true;
    this.#delays.clear();
    this.#ready.clear();
    this.#addedMeanwhile.clear();
  }
}
