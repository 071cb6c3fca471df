import type { Timers } from '#lib/kube/interface/timers.ts';
import type { Key } from '#lib/loop/context/key.ts';
import { moreUrgent, type Priority } from './urgency.ts';

interface Delay {
  readonly key: Key;
  /** The end of the delay by `Timers.elapsed`, so that a change of the wall clock does not change the delay. */
  dueMs: number;
  priority: Priority;
  /** The sequence number of the delay. Among delays with the same end, the delay that was set first ends first. */
  order: number;
  position: number;
}

const isBefore = (a: Delay, b: Delay): boolean => a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order);

/** The rest of the delay of a key, in milliseconds, and the priority of the key afterwards. */
export interface DelayState {
  readonly afterMs: number;
  readonly priority: Priority;
}

/** Options of {@link Delays}. */
export interface DelaysOptions {
  readonly timers: Timers;
  readonly onDue: (key: Key, priority: Priority) => void;
}

/**
 * Delayed keys: a heap, and one timer for all of them.
 *
 * Guarantees: if a key is delayed several times, the earliest end and the most urgent priority apply. A delay may have any
 * length. Setting and ending a delay takes O(log n).
 */
export class Delays {
  readonly #options: DelaysOptions;
  readonly #byKey = new Map<Key, Delay>();
  readonly #heap: Delay[] = [];
  #orders = 0;
  #armedMs = Infinity;
  #disarm: () => void = () => undefined;

  constructor(options: DelaysOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#heap.length;
  }

  /** @param delayMs - milliseconds from now, at least 0 */
  set(key: Key, delayMs: number, priority: Priority): void {
    const dueMs = this.#options.timers.elapsed() + delayMs;
    const held = this.#byKey.get(key);
    if (held) held.priority = moreUrgent(held.priority, priority);
    if (held && held.dueMs <= dueMs) return;
    const delay = held ?? { key, dueMs, priority, order: 0, position: this.#heap.length };
    delay.dueMs = dueMs;
    delay.order = this.#orders++;
    this.#byKey.set(key, delay);
    this.#heap[delay.position] = delay;
    this.#rise(delay);
    this.#arm();
  }

  delete(key: Key): void {
    const delay = this.#byKey.get(key);
    if (!delay) return;
    this.#remove(delay);
    this.#arm();
  }

  clear(): void {
    this.#byKey.clear();
    this.#heap.length = 0;
    this.#arm();
  }

  inspect(): Readonly<Record<string, DelayState>> {
    const now = this.#options.timers.elapsed();
    const delays = [...this.#byKey].map(([key, { dueMs, priority }]) => [key, { afterMs: dueMs - now, priority }]);
    return Object.fromEntries(delays) as Readonly<Record<string, DelayState>>;
  }

  #remove(delay: Delay): void {
    this.#byKey.delete(delay.key);
    const last = this.#heap.pop();
    if (!last || last === delay) return;
    last.position = delay.position;
    this.#heap[last.position] = last;
    this.#rise(last);
    this.#sink(last);
  }

  #rise(delay: Delay): void {
    for (let parent = this.#parentOf(delay); parent && isBefore(delay, parent); parent = this.#parentOf(delay))
      this.#swap(delay, parent);
  }

  #sink(delay: Delay): void {
    for (let child = this.#childOf(delay); child && isBefore(child, delay); child = this.#childOf(delay))
      this.#swap(delay, child);
  }

  #parentOf({ position }: Delay): Delay | undefined {
    return position === 0 ? undefined : this.#heap[(position - 1) >> 1];
  }

  /** The child of a heap node with the delay that ends first; undefined for a node without children. */
  #childOf({ position }: Delay): Delay | undefined {
    const [left, right] = [this.#heap[2 * position + 1], this.#heap[2 * position + 2]];
    return left && right && isBefore(right, left) ? right : left;
  }

  #swap(a: Delay, b: Delay): void {
    const { position } = a;
    a.position = b.position;
    b.position = position;
    this.#heap[a.position] = a;
    this.#heap[b.position] = b;
  }

  #arm(): void {
    const dueMs = this.#heap[0]?.dueMs ?? Infinity;
    if (dueMs === this.#armedMs) return;
    this.#disarm();
    this.#armedMs = dueMs;
    this.#disarm = () => undefined;
    if (dueMs === Infinity) return;
    const { timers } = this.#options;
    this.#disarm = timers.setTimer(Math.max(0, dueMs - timers.elapsed()), () => this.#fire());
  }

  #fire(): void {
    this.#armedMs = Infinity;
    const { timers, onDue } = this.#options;
    // Timers can fire a fraction of a millisecond early. The delay of a fired timer is over, even if the clock shows an earlier
    // time.
    const now = Math.max(timers.elapsed(), this.#heap[0]?.dueMs ?? 0);
    for (let first = this.#heap[0]; first && first.dueMs <= now; first = this.#heap[0]) {
      this.#remove(first);
      onDue(first.key, first.priority);
    }
    this.#arm();
  }
}
