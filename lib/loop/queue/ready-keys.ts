import type { Key } from '#lib/loop/context/key.ts';
import { Lane } from './lane.ts';
import { moreUrgent, type Priority, priorities } from './urgency.ts';

/** The number of keys of other lanes after which the next key comes from a waiting lane, even if other lanes are more urgent. */
export const PATIENCE = 16;

/**
 * The keys that can be taken now: a lane for every priority.
 *
 * Guarantees: a key is in one lane, which is the lane of the most urgent of its priorities. More urgent keys leave first, and
 * namespaces take turns. Each lane that is not empty gives at least one of `PATIENCE` + 5 consecutive keys.
 */
export class ReadyKeys {
  readonly #lanes = Object.fromEntries(priorities.map((lane) => [lane, new Lane()])) as Record<Priority, Lane>;
  readonly #priorityOf = new Map<Key, Priority>();
  /** For each lane with keys, the number of keys that left other lanes since this lane last gave a key or was empty. */
  readonly #passedOver = Object.fromEntries(priorities.map((lane) => [lane, 0])) as Record<Priority, number>;

  get size(): number {
    return this.#priorityOf.size;
  }

  /** Adds a key, or moves it to a more urgent lane. @returns false if the key was in a lane already */
  add(key: Key, priority: Priority): boolean {
    const before = this.#priorityOf.get(key);
    if (before !== undefined && moreUrgent(before, priority) === before) return false;
    if (before !== undefined) this.#lanes[before].delete(key);
    this.#lanes[priority].add(key);
    this.#priorityOf.set(key, priority);
    return before === undefined;
  }

  /** Removes and returns the next key; undefined when all lanes are empty. */
  take(): { readonly key: Key; readonly priority: Priority } | undefined {
    const priority = this.#next();
    const key = priority && this.#lanes[priority].take();
    if (priority === undefined || key === undefined) return undefined;
    this.#priorityOf.delete(key);
    for (const lane of priorities) {
      if (lane === priority || this.#lanes[lane].size === 0) this.#passedOver[lane] = 0;
      else this.#passedOver[lane] += 1;
    }
    return { key, priority };
  }

  clear(): void {
    while (this.take());
  }

  /** The keys of each lane that is not empty. */
  inspect(): Partial<Record<Priority, readonly Key[]>> {
    const lanes = priorities.map((priority) => [priority, this.#lanes[priority].keys()] as const);
    return Object.fromEntries(lanes.filter(([, keys]) => keys.length > 0));
  }

  /** The number of keys that left other lanes, for each lane that waits; lanes without such keys are left out. */
  inspectPatience(): Partial<Record<Priority, number>> {
    return Object.fromEntries(Object.entries(this.#passedOver).filter(([, count]) => count > 0));
  }

  /** The lane that has waited longest, if it has waited for {@link PATIENCE} keys; otherwise the most urgent lane. */
  #next(): Priority | undefined {
    const waiting = priorities.filter((priority) => this.#lanes[priority].size > 0);
    let next = waiting[0];
    let longest = PATIENCE - 1;
    for (const priority of waiting) {
      if (this.#passedOver[priority] <= longest) continue;
      longest = this.#passedOver[priority];
      next = priority;
    }
    return next;
  }
}
