import type { Timers } from '#lib/kube/interface/timers.ts';
import type { Key } from '#lib/loop/context/key.ts';

/**
 * The number of children below which a resource has no quiet time. A pass over so few children usually takes less than a
 * millisecond.
 */
export const CHILDREN_WITHOUT_QUIET = 100;

/** The number of children per millisecond of quiet time. The quiet time is then about a third of the time of a pass. */
const CHILDREN_PER_MILLISECOND = 50;

/** The maximum quiet time of a resource, in milliseconds. */
const LONGEST_QUIET_MS = 1000;

/** The delay of an event that only informs (`KindRef.onlyInforms`), in milliseconds: the pods of a rollout cause many at a time. */
export const INFORMING_MS = 250;

/**
 * The quiet time after a pass, in milliseconds: 2 for 100 children, 200 for 10,000. Events of children and look-ups during the
 * quiet time cause one pass at its end.
 *
 * @param children - the number of children of the resource, at least 0
 * @returns 0 below {@link CHILDREN_WITHOUT_QUIET}, 1000 at most
 */
export const quietMsFor = (children: number): number =>
  children < CHILDREN_WITHOUT_QUIET ? 0 : Math.min(LONGEST_QUIET_MS, children / CHILDREN_PER_MILLISECOND);

/** Options of {@link Coalescing}. */
export interface CoalescingOptions {
  readonly timers: Timers;
  readonly add: (key: Key) => void;
  /** Adds a key to the queue after `delayMs` milliseconds, which are more than 0. */
  readonly addAfter: (key: Key, delayMs: number) => void;
}

/** The state of {@link Coalescing} as JSON, for bug reports and for comparing states. */
export interface CoalescingState {
  /** Resources with a running pass, during which an event came. */
  readonly changed: readonly Key[];
  /** The rest of the quiet time in milliseconds, by key. */
  readonly quietForMs: Readonly<Record<string, number>>;
}

/**
 * Combines many events of children and look-ups into one pass. The cost of a pass depends on the number of all children, even if
 * only one of them changed. Without this class, a thousand events in a set of ten thousand children would cause a thousand
 * passes.
 *
 * Flow: `began` → the pass runs, and `event` notes changes → `ended` → events wait until the quiet time of the resource is over.
 *
 * Guarantees: no event is lost. An event outside passes and quiet times waits only for its own delay. Other events also wait
 * for the end of the running pass and its quiet time. With few children ({@link CHILDREN_WITHOUT_QUIET}), there is no quiet time.
 *
 * Assumptions: `began` and `ended` are called for every pass. The queue ends the delay of a key when it hands out the key.
 *
 * Caveats: changes of the resource itself, requeues after a pass, and instants that a function waits for are not delayed.
 */
export class Coalescing {
  readonly #options: CoalescingOptions;
  /** The keys with a running pass, and the shortest delay of the events since the pass began; Infinity if there was none. */
  readonly #underWay = new Map<Key, number>();
  /** The end of the quiet time of each key, by `Timers.elapsed`. */
  readonly #quietUntil = new Map<Key, number>();

  constructor(options: CoalescingOptions) {
    this.#options = options;
  }

  /** Called when a child of the resource, or an object that its function looks up, changed. `delayMs` is the minimum delay. */
  event(key: Key, delayMs = 0): void {
    const { timers, add, addAfter } = this.#options;
    const shortestMs = this.#underWay.get(key);
    const waitMs = Math.max(delayMs, (this.#quietUntil.get(key) ?? -Infinity) - timers.elapsed());
    if (shortestMs !== undefined) this.#underWay.set(key, Math.min(shortestMs, delayMs));
    else if (waitMs > 0) addAfter(key, waitMs);
    else add(key);
  }

  /** Called when a pass begins. The pass observes all earlier events. */
  began(key: Key): void {
    this.#quietUntil.delete(key);
    this.#underWay.set(key, Infinity);
  }

  /** Called when a pass has ended, before its key is returned to the queue. For `quietMs`, see {@link quietMsFor}. */
  ended(key: Key, quietMs: number): void {
    const delayMs = this.#underWay.get(key) ?? Infinity;
    this.#underWay.delete(key);
    if (quietMs > 0) this.#quietUntil.set(key, this.#options.timers.elapsed() + quietMs);
    if (delayMs < Infinity) this.event(key, delayMs);
  }

  inspect(): CoalescingState {
    const left = [...this.#quietUntil].map(([key, until]) => [key, until - this.#options.timers.elapsed()] as const);
    return {
      changed: [...this.#underWay].filter(([, delayMs]) => delayMs < Infinity).map(([key]) => key),
      quietForMs: Object.fromEntries(left.filter(([, ms]) => ms > 0)),
    };
  }
}
