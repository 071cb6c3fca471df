import type { Timers } from '#lib/kube/interface/timers.ts';
import type { Key } from '#lib/loop/context/key.ts';
import { Lane } from '#lib/loop/queue/lane.ts';

/** Probes per second, over all kinds, while they are refused. Retries after a quota made room come on top; the limit for both is 10 a second. */
const PER_SECOND = 3;
const REFILL_MS = 1000 / PER_SECOND;

/** Probes at once after a while without any. */
const BURST = 2;

/** Probes that follow an accepted one: when the cause of refusals is gone, all that waits is under way within a few rounds. */
const AFTER_ACCEPTED = 2;

/** The resources that wait for their turn: JSON, for bug reports and for comparing states. */
export interface ProbeTurnsState {
  /** Next first, by namespace. */
  readonly waiting: readonly Key[];
  /** The resources with a turn that they have not used yet. */
  readonly granted: readonly Key[];
  readonly tokens: number;
}

/**
 * The turns of refused resources that try again, over all kinds of the process. Each resource has its own back-off; a thousand
 * resources that a policy refuses would still be hundreds of requests a second, and load the policy engine.
 *
 * Flow: `mayProbe` gives a turn or notes the resource → a turn comes: `wake` → `mayProbe` gives it → `accepted`, or no call.
 *
 * Guarantees: namespaces take turns; within a namespace the first resource that asked goes first. Accepted writes delay no
 * other.
 *
 * Caveats: an unused turn is lost, and costs the others a third of a second; the caller must forget a resource that needs no
 * turn.
 */
export class ProbeTurns {
  readonly #timers: Timers;
  readonly #lane = new Lane();
  readonly #wakes = new Map<Key, () => void>();
  readonly #granted = new Set<Key>();
  #tokens = BURST;
  /** When `#tokens` was right, by `Timers.elapsed`. */
  #countedAt: number;
  #cancelTimer: (() => void) | undefined;

  constructor(timers: Timers) {
    this.#timers = timers;
    this.#countedAt = timers.elapsed();
  }

  /** @returns undefined when nothing waits and nothing has to */
  inspect(): ProbeTurnsState | undefined {
    this.#refill();
    if (this.#tokens === BURST && this.#wakes.size + this.#granted.size === 0) return undefined;
    return { waiting: this.#lane.keys(), granted: [...this.#granted], tokens: this.#tokens };
  }

  /**
   * Whether a resource may now repeat a refused write.
   *
   * @param wake - called once, when its turn has come, if it has to wait
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

  /** A probe was accepted. */
  accepted(): void {
    this.#refill();
    this.#tokens += AFTER_ACCEPTED;
    this.#grant();
    this.#tokens = Math.min(this.#tokens, BURST);
  }

  /** Forgets a resource, and its turn. */
  forget(id: Key): void {
    this.#granted.delete(id);
    if (this.#wakes.delete(id)) this.#lane.delete(id);
  }

  /** No turn comes any more. */
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
    // Timers fire a fraction of a millisecond early.
    if (this.#tokens < 0.99) return false;
    this.#tokens = Math.max(0, this.#tokens - 1);
    return true;
  }

  /** Gives turns while there are any. */
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
