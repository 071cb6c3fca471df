import type { Timers } from '#lib/kube/interface/timers.ts';
import type { Key } from '#lib/loop/context/key.ts';
import { Lane } from '#lib/loop/queue/lane.ts';

/**
 * The number of retries per second, of all kinds together, while the API server refuses them. Retries after a change of a quota
 * have their own limit (`quota-room.ts`). Both limits together aim at no more than 10 refused creates per second.
 */
const PER_SECOND = 3;
const REFILL_MS = 1000 / PER_SECOND;

/** The maximum number of retries that may start at once after a time without retries. */
const BURST = 2;

/**
 * The number of additional retries after an accepted retry. All resources then retry soon after the cause of the refusals ends.
 */
const AFTER_ACCEPTED = 2;

/** The resources that wait for a retry as JSON, for bug reports and for comparing states. */
export interface ProbeTurnsState {
  /** The waiting resources, grouped by namespace. The namespace with the next turn is first. */
  readonly waiting: readonly Key[];
  /** The resources that got a turn and have not used it yet. */
  readonly granted: readonly Key[];
  readonly tokens: number;
}

/**
 * The turns of retries after refused writes, for all kinds of the process. The back-off of each resource is not sufficient: if a
 * policy refuses a thousand resources, their retries would still be hundreds of requests per second, and overload the policy
 * engine.
 *
 * Flow: `mayProbe` allows the retry, or queues the resource. When the turn of a queued resource comes, `wake` is called, and the
 * next `mayProbe` allows the retry. The caller calls `accepted` after an accepted retry.
 *
 * Guarantees: namespaces take turns; within a namespace, the resource that asked first goes first. An accepted retry does not
 * delay the turns of other resources.
 *
 * Caveats: an unused turn delays the other resources by a third of a second. The caller must call `forget` for a resource
 * that needs no turn any more.
 */
export class ProbeTurns {
  readonly #timers: Timers;
  readonly #lane = new Lane();
  readonly #wakes = new Map<Key, () => void>();
  readonly #granted = new Set<Key>();
  #tokens = BURST;
  /** The time for which `#tokens` was computed, by `Timers.elapsed`. */
  #countedAt: number;
  #cancelTimer: (() => void) | undefined;

  constructor(timers: Timers) {
    this.#timers = timers;
    this.#countedAt = timers.elapsed();
  }

  /** @returns undefined when no resource waits or has an unused turn, and all turns are free */
  inspect(): ProbeTurnsState | undefined {
    this.#refill();
    if (this.#tokens === BURST && this.#wakes.size + this.#granted.size === 0) return undefined;
    return { waiting: this.#lane.keys(), granted: [...this.#granted], tokens: this.#tokens };
  }

  /**
   * Whether a resource may now repeat a refused write.
   *
   * @param wake - called once when the turn of the resource comes, if the result is false
   */
  mayProbe(id: Key, wake: () => void): boolean {
    if (this.#granted.delete(id)) return true;
    if (this.#wakes.has(id)) return false;
    if (this.#wakes.size === 0 && this.#take()) return true;
    this.#lane.add(id);
    this.#wakes.set(id, wake);
    this.#arm();
    return false;
  }

  accepted(): void {
    this.#refill();
    this.#tokens += AFTER_ACCEPTED;
    this.#grant();
    this.#tokens = Math.min(this.#tokens, BURST);
  }

  forget(id: Key): void {
    this.#granted.delete(id);
    if (this.#wakes.delete(id)) this.#lane.delete(id);
  }

  /** Drops the waiting resources without waking them. */
  close(): void {
    this.#cancelTimer?.();
    this.#wakes.clear();
  }

  #refill(): void {
    const now = this.#timers.elapsed();
    this.#tokens = Math.max(this.#tokens, Math.min(BURST, this.#tokens + (now - this.#countedAt) / REFILL_MS));
    this.#countedAt = now;
  }

  #take(): boolean {
    this.#refill();
    // Timers fire a fraction of a millisecond early, so almost one token is enough.
    if (this.#tokens < 0.99) return false;
    this.#tokens = Math.max(0, this.#tokens - 1);
    return true;
  }

  #grant(): void {
    while (this.#wakes.size > 0 && this.#take()) {
      const id = this.#lane.take();
      const wake = id && this.#wakes.get(id);
      if (id === undefined || wake === undefined) return;
      this.#wakes.delete(id);
      this.#granted.add(id);
      wake();
    }
    this.#arm();
  }

  #arm(): void {
    if (this.#cancelTimer !== undefined || this.#wakes.size === 0) return;
    const waitMs = Math.max(1, (1 - this.#tokens) * REFILL_MS);
    this.#cancelTimer = this.#timers.setTimer(waitMs, () => {
      this.#cancelTimer = undefined;
      this.#grant();
    });
  }
}
