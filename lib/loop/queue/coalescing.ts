import type { Timers } from '#lib/kube/interface/timers.ts';
import type { Key } from '#lib/loop/context/key.ts';

/** A resource with fewer children has a pass at once, because the pass takes less than a millisecond. */
export const CHILDREN_WITHOUT_QUIET = 100;

/** Children per millisecond of delay for an event of one of them: about a third of the time of a pass over them. */
const CHILDREN_PER_MILLISECOND = 50;

/** No resource waits longer, in milliseconds. */
const LONGEST_QUIET_MS = 1000;

/**
 * The quiet time after a pass, in which events of children are collected, in milliseconds: 2 for 100 children, 200 for 10,000.
 *
 * @param children - that the resource has, at least 0
 * @returns 0 below {@link CHILDREN_WITHOUT_QUIET}, 1000 at most
 */
export const quietMsFor = (children: number): number =>
  children < CHILDREN_WITHOUT_QUIET ? 0 : Math.min(LONGEST_QUIET_MS, children / CHILDREN_PER_MILLISECOND);

/** Options of {@link Coalescing}. */
export interface CoalescingOptions {
  readonly timers: Timers;
  /** The queue's. */
  readonly add: (key: Key) => void;
  /** The queue's; `delayMs` in milliseconds, above 0. */
  readonly addAfter: (key: Key, delayMs: number) => void;
}

/** The state of coalescing: JSON, for bug reports and for comparing states. */
export interface CoalescingState {
  /** Resources of which a child changed during the pass under way. */
  readonly changed: readonly Key[];
  /** By key: how many milliseconds of its quiet time are left. */
  readonly quietForMs: Readonly<Record<string, number>>;
}

/**
 * Combines many events of children into one pass. The cost of a pass is the number of children, however few of them changed:
 * without this, a thousand events in a set of ten thousand would cause a pass each.
 *
 * Flow: `began` → pass, `event` notes → `ended` → events wait until the quiet time of the resource is over.
 *
 * Guarantees: no event is lost; the first one after the quiet time is not delayed, others by that time at most. A resource with
 * few children ({@link CHILDREN_WITHOUT_QUIET}) is never delayed.
 *
 * Assumptions: `began` and `ended` enclose every pass; a key that is taken from the queue loses its delay there.
 *
 * Caveats: changes of the resource itself, requeues after a pass, and instants are not delayed.
 */
export class Coalescing {
  readonly #options: CoalescingOptions;
  /** Keys with a running pass, and whether an event came in the meantime. */
  readonly #underWay = new Map<Key, boolean>();
  /** By `Timers.elapsed`. */
  readonly #quietUntil = new Map<Key, number>();

  constructor(options: CoalescingOptions) {
    this.#options = options;
  }

  /** Something that the resource owns or reads changed. */
  event(key: Key): void {
    if (this.#underWay.has(key)) {
      this.#underWay.set(key, true);
      return;
    }
    const { timers, add, addAfter } = this.#options;
    const waitMs = (this.#quietUntil.get(key) ?? -Infinity) - timers.elapsed();
    if (waitMs > 0) addAfter(key, waitMs);
    else add(key);
  }

  /** A pass begins: it sees all that has happened. */
  began(key: Key): void {
    this.#quietUntil.delete(key);
    this.#underWay.set(key, false);
  }

  /**
   * Called when a pass has ended, before its key is returned to the queue.
   *
   * @param quietMs - see {@link quietMsFor}
   */
  ended(key: Key, quietMs: number): void {
    const changed = this.#underWay.get(key) === true;
    this.#underWay.delete(key);
    if (quietMs > 0) this.#quietUntil.set(key, this.#options.timers.elapsed() + quietMs);
    if (changed) this.event(key);
  }

  inspect(): CoalescingState {
    const now = this.#options.timers.elapsed();
    const left = [...this.#quietUntil].map(([key, until]) => [key, until - now] as const);
    return {
      changed: [...this.#underWay].filter(([, changed]) => changed).map(([key]) => key),
      quietForMs: Object.fromEntries(left.filter(([, ms]) => ms > 0)),
    };
  }
}
