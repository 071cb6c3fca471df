import type { Timers } from '#lib/kube/timers.ts';
import type { Key } from '#lib/loop/key.ts';
import { type ControllerMetrics, noControllerMetrics } from '#lib/loop/metrics.ts';
import { backoffMs } from './backoff.ts';
import { QueueTimes } from './queue-times.ts';

/** What the queue takes from outside. */
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

interface Delay {
  readonly at: number;
  readonly cancel: () => void;
}

/** What a queue holds: JSON, for bug reports and for telling states apart. */
export interface QueueState {
  /** Next first. */
  readonly ready: readonly Key[];
  /** Handed out, and not given back yet. */
  readonly taken: readonly Key[];
  /** Of those, what was added since. */
  readonly meanwhile: readonly Key[];
  /** Milliseconds from now, by key. */
  readonly delays: Readonly<Record<string, number>>;
  /** Failures in a row, by key. */
  readonly failures: Readonly<Record<string, number>>;
}

/**
 * The keys that want a look.
 *
 * Flow: `add` (or a delay that ends) makes a key ready; `take` hands it out; `done` gives it back.
 *
 * Guarantees: a key is ready at most once, however often it was added; a key that is handed out is not handed out again
 * before `done`; what was added meanwhile is ready after `done`; ready keys leave in the order in which they came.
 * Of several delays of one key the earliest counts. Failures are never given up.
 *
 * Assumptions: one thread; whoever takes a key calls `done`.
 *
 * Caveats: taking a key ends its delay, because the pass that follows decides anew when to look again.
 */
export class WorkQueue {
  readonly #options: QueueOptions;
  readonly #times: QueueTimes;
  readonly #ready = new Set<Key>();
  readonly #taken = new Set<Key>();
  readonly #addedMeanwhile = new Set<Key>();
  readonly #delays = new Map<Key, Delay>();
  readonly #failures = new Map<Key, number>();
  #closed = false;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#times = new QueueTimes(() => options.timers.elapsed(), options.metrics ?? noControllerMetrics);
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
    return this.#times.unfinishedMs();
  }

  inspect(): QueueState {
    const now = this.#options.timers.now();
    return {
      ready: [...this.#ready],
      taken: [...this.#taken],
      meanwhile: [...this.#addedMeanwhile],
      delays: Object.fromEntries([...this.#delays].map(([key, { at }]) => [key, at - now])),
      failures: Object.fromEntries(this.#failures),
    };
  }

  /** Makes a key ready now. */
  add(key: Key): void {
    if (this.#closed) return;
    if (this.#taken.has(key)) {
      this.#addedMeanwhile.add(key);
      return;
    }
    if (this.#ready.has(key)) return;
    this.#ready.add(key);
    this.#times.ready(key);
    this.#options.onReady();
  }

  /** Makes a key ready after `delayMs` milliseconds, unless an earlier moment is set already. */
  addAfter(key: Key, delayMs: number): void {
    if (this.#closed) return;
    const { timers } = this.#options;
    const at = timers.now() + Math.max(0, delayMs);
    const set = this.#delays.get(key);
    if (set && set.at <= at) return;
    set?.cancel();
    const cancel = timers.setTimer(Math.max(0, delayMs), () => {
      this.#delays.delete(key);
      this.add(key);
    });
    this.#delays.set(key, { at, cancel });
  }

  /**
   * Makes a key ready after a delay that grows with its failures in a row.
   *
   * @param atLeastMs - a delay that the API server asked for, in milliseconds
   */
  addFailed(key: Key, atLeastMs = 0): void {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.#times.retried();
    const { initialBackoffMs: initialMs = 100, maxBackoffMs: maxMs = 300_000, random } = this.#options;
    this.addAfter(key, Math.max(atLeastMs, backoffMs(failures, { initialMs, maxMs, random })));
  }

  /** Forgets the failures of a key: it is well again, or gone. */
  forget(key: Key): void {
    this.#failures.delete(key);
  }

  /** Hands out the key that has been ready longest; `undefined` when none is. */
  take(): Key | undefined {
    const [key] = this.#ready;
    if (key === undefined) return undefined;
    this.#ready.delete(key);
    this.#taken.add(key);
    this.#times.taken(key);
    this.#delays.get(key)?.cancel();
    this.#delays.delete(key);
    return key;
  }

  /** Gives back a key that was taken. */
  done(key: Key): void {
    this.#taken.delete(key);
    this.#times.done(key);
    if (this.#addedMeanwhile.delete(key)) this.add(key);
  }

  /** Drops everything that waits; what is handed out may still be given back. */
  close(): void {
    this.#closed = true;
    for (const { cancel } of this.#delays.values()) cancel();
    this.#delays.clear();
    this.#ready.clear();
    this.#addedMeanwhile.clear();
  }
}
