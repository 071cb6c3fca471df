import { type Key, namespaceOf } from '#lib/loop/context/key.ts';
import { type Holds, holdsWithRoom, isRefusedByQuota, withRoom } from '#lib/loop/pass/execute/holds.ts';

/** The time for which a change of a quota is remembered, in milliseconds. It is longer than any pass. */
const KEPT_MS = 600_000;

/** The maximum number of resources of a namespace that retry at once after a quota has room. */
const FIRST_WAVE = 2;

/** The maximum number of further resources that retry after a retry that no quota refused. */
const NEXT_WAVE = 2;

/** The delay before the next retry in a namespace after a refused retry, in milliseconds. */
const REST_MS = 1000;

type KeysByNamespace = Map<string, Set<Key>>;

const add = (all: KeysByNamespace, key: Key): void => {
  const namespace = namespaceOf(key);
  all.set(namespace, (all.get(namespace) ?? new Set()).add(key));
};

/** @returns whether the key was in the set */
const remove = (all: KeysByNamespace, key: Key): boolean => {
  const namespace = namespaceOf(key);
  const keys = all.get(namespace);
  const wasThere = keys?.delete(key) ?? false;
  if (keys?.size === 0) all.delete(namespace);
  return wasThere;
};

interface Moment {
  /** The time at which the pass began, in epoch milliseconds. */
  readonly began: number;
  /** The current time, in epoch milliseconds. */
  readonly now: number;
  /** Returns a random number, uniform in [0, 1). */
  readonly random: () => number;
}

/**
 * The resources that wait for room in a quota, by namespace.
 *
 * Flow: at the end of each pass, `passEnded` records whether a quota refused a create of the resource. When a quota has room again,
 * `made` wakes the first waiting resources. Their holds are shortened ({@link withRoom}), and each has a pass when its hold ends.
 * For each retry that was not refused again, `passEnded` wakes two more resources.
 *
 * Guarantees: room that a quota gets during a pass is not missed. Room for one pod causes only a few retries, even if many
 * resources wait. While no retry is refused, the number of retries doubles in each wave.
 *
 * Caveats: a cluster-scoped resource has the namespace "", and waits for room in any namespace.
 */
export class QuotaRoom {
  /** The time of the last change that made room, by namespace. The latest change is the last entry. */
  readonly #madeAt = new Map<string, number>();
  readonly #waiting: KeysByNamespace = new Map();
  /** The resources that were woken and have not retried yet, by namespace. */
  readonly #trying: KeysByNamespace = new Map();
  /** The time before which no resource of a namespace retries, in epoch milliseconds. */
  readonly #restsUntil = new Map<string, number>();
  readonly #wake: (keys: readonly Key[], notBefore: number) => void;

  /** @param wake - called with the resources that may retry, and the earliest time of their retry in epoch milliseconds */
  constructor(wake: (keys: readonly Key[], notBefore: number) => void = () => undefined) {
    this.#wake = wake;
  }

  /**
   * Records at the end of a pass whether the resource waits for room in a quota. After a retry, wakes the next resources of the
   * namespace, or delays them if the retry was refused.
   *
   * @returns the holds of the resource; shortened if the next pass should retry at once
   */
  passEnded(key: Key, holds: Holds, moment: Moment): Holds {
    const namespace = namespaceOf(key);
    const madeAt = this.#madeAt.get(namespace) ?? -Infinity;
    const after = madeAt >= moment.began ? withRoom(holds, { ...moment, madeAt }) : holds;
    // A quota got room during this pass, so the resource retries in the next pass. Its entries in the maps stay until that pass.
    if (holdsWithRoom(after).size > 0) return after;
    const isRefused = isRefusedByQuota(after);
    // The resource was woken during this pass, and the pass did not retry the create. It retries in the next pass.
    if (isRefused && !isRefusedByQuota(after, moment.began) && this.#trying.get(namespace)?.has(key))
      return withRoom(after, { ...moment, madeAt: moment.now });
    if (isRefused) add(this.#waiting, key);
    else remove(this.#waiting, key);
    if (!remove(this.#trying, key)) return after;
    if (isRefused) this.#restsUntil.set(namespace, moment.now + REST_MS);
    else this.#wakeNext(namespace, { count: NEXT_WAVE, now: moment.now });
    return after;
  }

  /** Removes a resource. If the resource was woken and has not retried yet, the next resource is woken in its place. */
  forget(key: Key): void {
    remove(this.#waiting, key);
    if (remove(this.#trying, key)) this.#wakeNext(namespaceOf(key), { count: 1, now: -Infinity });
  }

  /**
   * Wakes waiting resources of the namespace, and cluster-scoped ones, after a change that gave a quota room.
   *
   * @param namespace - the namespace of the quota
   * @param now - epoch milliseconds
   */
  made(namespace: string, now: number): void {
    for (const where of new Set([namespace, ''])) {
      this.#note(where, now);
      this.#wakeNext(where, { count: FIRST_WAVE - (this.#trying.get(where)?.size ?? 0), now });
    }
  }

  /** Wakes the `count` resources of a namespace that have waited longest. */
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
