import { type Key, namespaceOf } from '#lib/loop/context/key.ts';
import { type Holds, holdsWithRoom, isRefusedByQuota, withRoom } from '#lib/loop/pass/execute/holds.ts';

/** How long the moment at which room was made is kept, in milliseconds: longer than any pass takes. */
const KEPT_MS = 600_000;

/** How many resources try at once whether there is room for them. */
const FIRST_WAVE = 2;

/** How many others may try for each resource that found room. */
const NEXT_WAVE = 2;

/** The delay before the next try in a namespace after one that found no room, in milliseconds. */
const REST_MS = 1000;

type KeysByNamespace = Map<string, Set<Key>>;

const add = (all: KeysByNamespace, key: Key): void => {
  const namespace = namespaceOf(key);
  all.set(namespace, (all.get(namespace) ?? new Set()).add(key));
};

/** @returns whether it was there */
const remove = (all: KeysByNamespace, key: Key): boolean => {
  const namespace = namespaceOf(key);
  const keys = all.get(namespace);
  const wasThere = keys?.delete(key) ?? false;
  if (keys?.size === 0) all.delete(namespace);
  return wasThere;
};

/** The clock, and a source of randomness. */
interface Moment {
  /** When the pass began, in epoch milliseconds. */
  readonly began: number;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/**
 * The resources that wait for room in a quota, by namespace.
 *
 * Flow: a pass ends with `settled`, which notes a resource whose create a quota refused → a quota makes room: `made` wakes the
 * first waiting resources, and `settled` wakes two more for each one that was not refused again → their holds are shortened
 * ({@link withRoom}), and they have a pass when the holds end.
 *
 * Guarantees: costs nothing while no resource waits. Room that is made during a pass is not missed. Room for one pod causes a
 * few attempts, however many resources wait; room for all causes passes of all within a few rounds.
 *
 * Caveats: a cluster-scoped resource, in namespace "", waits for room in any namespace.
 */
export class QuotaRoom {
  /** When room was last made, by namespace, the latest last. */
  readonly #madeAt = new Map<string, number>();
  readonly #waiting: KeysByNamespace = new Map();
  /** The resources that try whether there is room, by namespace. */
  readonly #trying: KeysByNamespace = new Map();
  /** By namespace: no try before, in epoch milliseconds. */
  readonly #restsUntil = new Map<string, number>();
  readonly #wake: (keys: readonly Key[], notBefore: number) => void;

  /** @param wake - called with the resources whose turn it is to retry, and the earliest time, in epoch milliseconds */
  constructor(wake: (keys: readonly Key[], notBefore: number) => void = () => undefined) {
    this.#wake = wake;
  }

  /**
   * Notes, at the end of a pass, whether its resource waits for room.
   *
   * @returns its holds, shortened when room was made since the pass began
   */
  settled(key: Key, holds: Holds, moment: Moment): Holds {
    const namespace = namespaceOf(key);
    const madeAt = this.#madeAt.get(namespace) ?? -Infinity;
    const after = madeAt >= moment.began ? withRoom(holds, { ...moment, madeAt }) : holds;
    // Its try is still to come.
    if (holdsWithRoom(after).size > 0) return after;
    const isRefused = isRefusedByQuota(after);
    // It was woken while the pass was under way, which did not try: its try is still to come.
    if (isRefused && !isRefusedByQuota(after, moment.began) && this.#trying.get(namespace)?.has(key))
      return withRoom(after, { ...moment, madeAt: moment.now });
    if (isRefused) add(this.#waiting, key);
    else remove(this.#waiting, key);
    if (!remove(this.#trying, key)) return after;
    if (isRefused) this.#restsUntil.set(namespace, moment.now + REST_MS);
    else this.#wakeNext(namespace, { count: NEXT_WAVE, now: moment.now });
    return after;
  }

  /** Forgets a resource; another one may try in its place. */
  forget(key: Key): void {
    remove(this.#waiting, key);
    if (remove(this.#trying, key)) this.#wakeNext(namespaceOf(key), { count: 1, now: -Infinity });
  }

  /**
   * Wakes resources because a quota of a namespace makes room.
   *
   * @param now - epoch milliseconds
   */
  made(namespace: string, now: number): void {
    for (const where of new Set([namespace, ''])) {
      this.#note(where, now);
      this.#wakeNext(where, { count: FIRST_WAVE - (this.#trying.get(where)?.size ?? 0), now });
    }
  }

  /** Those that have waited longest. */
  #wakeNext(namespace: string, { count, now }: { readonly count: number; readonly now: number }): void {
    const keys = [...(this.#waiting.get(namespace) ?? [])].slice(0, Math.max(0, count));
    if (keys.length === 0) return;
    for (const key of keys) {
      remove(this.#waiting, key);
      add(this.#trying, key);
    }
    const notBefore = this.#restsUntil.get(namespace) ?? now;
    this.#restsUntil.delete(namespace);
    this.#wake(keys, Math.max(now, notBefore));
  }

  #note(namespace: string, now: number): void {
    this.#madeAt.delete(namespace);
    this.#madeAt.set(namespace, now);
    for (const [other, at] of this.#madeAt) {
      if (now - at <= KEPT_MS) return;
      this.#madeAt.delete(other);
      this.#restsUntil.delete(other);
    }
  }
}
