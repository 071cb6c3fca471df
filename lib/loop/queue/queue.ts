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
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Called when a key becomes ready to be taken. */
  readonly onReady: () => void;
  /** @default counts nothing */
  readonly metrics?: ControllerMetrics;
  /** @default 100 */
  readonly initialBackoffMs?: number;
  /** @default 300_000 */
  readonly maxBackoffMs?: number;
}

/** The contents of a queue: JSON, for bug reports and for comparing states. */
export interface QueueState {
  /** By priority; of each namespace, next first. */
  readonly ready: Readonly<Partial<Record<Priority, readonly Key[]>>>;
  /** By priority that waits: how many keys have gone before. */
  readonly passedOver: Readonly<Partial<Record<Priority, number>>>;
  /** Handed out, and not given back yet. */
  readonly taken: readonly Key[];
  /** Those of them that were added since. */
  readonly meanwhile: Readonly<Record<string, Priority>>;
  /** By key. */
  readonly delays: Readonly<Record<string, DelayState>>;
  /** Failures in a row, by key. */
  readonly failures: Readonly<Record<string, number>>;
}

/** A key that is handed out, and the priority that it had. */
export interface Taken {
  readonly key: Key;
  readonly priority: Priority;
}

/**
 * The keys that need a pass.
 *
 * Flow: `add` (or the end of a delay) makes a key ready; `take` hands it out; `done` returns it.
 *
 * Guarantees: a key is ready at most once, however often it was added, at the most urgent of its priorities; a key that was
 * taken is not handed out again before `done`; a key that is added in the meantime is ready after `done`. More urgent keys
 * leave first, but no priority starves ({@link ReadyKeys}); namespaces take turns, and within a namespace keys leave in the
 * order in which they came. The earliest of several delays of one key counts. The number of attempts is not limited. Every
 * operation takes O(log n) at most.
 *
 * Assumptions: one thread; the caller that takes a key calls `done`.
 *
 * Caveats: taking a key ends its delay, because the next pass decides anew on a delay.
 */
export class WorkQueue {
  readonly #options: QueueOptions;
  readonly #metrics: ControllerMetrics;
  readonly #ready = new ReadyKeys();
  /** Since when each key is ready, by `Timers.elapsed`. */
  readonly #readySince = new Map<Key, number>();
  /** Since when each key is handed out, by `Timers.elapsed`. */
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

  /** Number of keys that are ready and not handed out. */
  get depth(): number {
    return this.#ready.size;
  }

  /** Number of keys that are handed out. */
  get active(): number {
    return this.#taken.size;
  }

  /** How long each key that is handed out has been so, in milliseconds. */
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

  /** Makes a key ready now. */
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

  /** Makes a key ready after `delayMs` milliseconds, unless an earlier moment is set already. */
  addAfter(key: Key, delayMs: number, priority: Priority = 'child'): void {
    if (!this.#closed) this.#delays.set(key, Math.max(0, delayMs), priority);
  }

  /**
   * Makes a key ready, behind all new keys, after a delay that grows with its consecutive failures.
   *
   * @param atLeastMs - a delay that the API server requested, in milliseconds
   */
  addFailed(key: Key, atLeastMs = 0): void {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.#metrics.retried();
    const { initialBackoffMs: initialMs = 100, maxBackoffMs: maxMs = 300_000, random } = this.#options;
    this.addAfter(key, Math.max(atLeastMs, backoffMs(failures, { initialMs, maxMs, random })), 'resync');
  }

  /**
   * Makes a key ready, behind all new keys, when a hold ends. Holds have their own back-off: a refusal that lasts for hours
   * must not delay a single failure of another sort, so it does not count as a failure here.
   *
   * @param delayMs - until then, in milliseconds
   */
  addRefused(key: Key, delayMs: number): void {
    this.forget(key);
    this.#metrics.retried();
    this.addAfter(key, delayMs, 'resync');
  }

  /** Forgets the failures of a key: it is well again, or gone. */
  forget(key: Key): void {
    this.#failures.delete(key);
  }

  /** Hands out the key that is next; `undefined` when none is ready. */
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

  /** Returns a key that was taken. */
  done(key: Key): void {
    const now = this.#options.timers.elapsed();
    this.#metrics.done(now - (this.#taken.get(key) ?? now));
    this.#taken.delete(key);
    const priority = this.#addedMeanwhile.get(key);
    if (priority === undefined) return;
    this.#addedMeanwhile.delete(key);
    this.add(key, priority);
  }

  /** Drops all waiting keys; taken keys may still be returned. */
  close(): void {
    this.#closed = true;
    this.#delays.clear();
    this.#ready.clear();
    this.#addedMeanwhile.clear();
  }
}
