import type { Key } from '#lib/loop/key.ts';
import { Lane } from '#lib/loop/queue/lane.ts';

/** Gives a slot back. */
type Leave = () => void;

/**
 * A number of slots, and who waits for one: namespaces take turns.
 *
 * Guarantees: never more than so many are taken; what is aborted while it waits takes none.
 */
export class Slots {
  readonly #size: number;
  #taken = 0;
  #tickets = 0;
  readonly #lane = new Lane();
  readonly #waiting = new Map<Key, () => void>();

  /** @param size - at least 1 */
  constructor(size: number) {
    this.#size = size;
  }

  /** Waits for a slot. @returns `undefined` when `signal` was aborted first */
  async enter(key: Key, signal: AbortSignal): Promise<Leave | undefined> {
    if (signal.aborted) return undefined;
    if (this.#taken < this.#size) this.#taken += 1;
    else if (!(await this.#turn(key, signal))) return undefined;
    return () => {
      const next = this.#lane.take();
      // Handed on, not given back: nobody who comes now goes before whoever waits.
      if (next === undefined) this.#taken -= 1;
      else this.#waiting.get(next)?.();
    };
  }

  async #turn(key: Key, signal: AbortSignal): Promise<boolean> {
    // One resource may wait with several effects.
    const ticket = `${key}#${this.#tickets++}` as Key;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const onAbort = (): void => {
      this.#lane.delete(ticket);
      resolve(false);
    };
    signal.addEventListener('abort', onAbort);
    this.#waiting.set(ticket, () => resolve(true));
    this.#lane.add(ticket);
    const isIn = await promise;
    this.#waiting.delete(ticket);
    signal.removeEventListener('abort', onAbort);
    return isIn;
  }
}
