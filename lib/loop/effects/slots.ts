import { type Key, keyOf, namespaceOf } from '#lib/loop/context/key.ts';
import { Lane } from '#lib/loop/queue/lane.ts';

type Leave = () => void;

/** Options of {@link Slots}. */
export interface SlotsOptions {
  /** The maximum number of slots of one namespace, at least 1. */
  readonly perNamespace: number;
  /**
   * The maximum number of slots of all namespaces together, at least 1. A namespace without a slot gets one even if this limit is
   * reached.
   */
  readonly total: number;
}

/**
 * A limited number of slots for running attempts, and a queue of waiting attempts.
 *
 * Guarantees: a namespace without a slot gets one at once, even if other namespaces have used up the total. No namespace has more
 * than its limit. A namespace gets a further slot only while the total is not used up; waiting namespaces take turns. An attempt
 * that is aborted while it waits takes no slot.
 */
export class Slots {
  readonly #options: SlotsOptions;
  readonly #taken = new Map<string, number>();
  #total = 0;
  readonly #lane = new Lane();
  /** The functions that let a waiting attempt start, by ticket. */
  readonly #waiting = new Map<Key, () => void>();
  #tickets = 0;

  constructor(options: SlotsOptions) {
    this.#options = options;
  }

  /** Waits for a slot. @returns `undefined` when `signal` was aborted first */
  async enter(key: Key, signal: AbortSignal): Promise<Leave | undefined> {
    if (signal.aborted) return undefined;
    const namespace = namespaceOf(key);
    if (this.#hasRoom(namespace)) this.#count(namespace, 1);
    else if (!(await this.#turn(namespace, signal))) return undefined;
    return () => {
      this.#count(namespace, -1);
      this.#admit();
    };
  }

  #takenBy(namespace: string): number {
    return this.#taken.get(namespace) ?? 0;
  }

  #hasRoom(namespace: string): boolean {
    const own = this.#takenBy(namespace);
    return own === 0 || (own < this.#options.perNamespace && this.#total < this.#options.total);
  }

  #count(namespace: string, change: 1 | -1): void {
    const own = this.#takenBy(namespace) + change;
    if (own === 0) this.#taken.delete(namespace);
    else this.#taken.set(namespace, own);
    this.#total += change;
  }

  /** Gives a released slot to a waiting attempt at once, before a newer attempt can take the slot. */
  #admit(): void {
    const ticket = this.#lane.take((namespace) => this.#hasRoom(namespace));
    if (ticket === undefined) return;
    this.#count(namespaceOf(ticket), 1);
    this.#waiting.get(ticket)?.();
    this.#waiting.delete(ticket);
  }

  async #turn(namespace: string, signal: AbortSignal): Promise<boolean> {
    const ticket = keyOf(namespace, String(this.#tickets++));
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const onAbort = (): void => {
      this.#lane.delete(ticket);
      this.#waiting.delete(ticket);
      resolve(false);
    };
    this.#lane.add(ticket);
    this.#waiting.set(ticket, () => resolve(true));
    signal.addEventListener('abort', onAbort);
    const isIn = await promise;
    signal.removeEventListener('abort', onAbort);
    return isIn;
  }
}
