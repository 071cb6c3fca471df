import { type Key, namespaceOf } from '#lib/loop/key.ts';
import { type Holds, isRefusedByQuota, withRoom } from '#lib/loop/pass/holds.ts';

/** Longer than any pass takes; after it nobody asks when room was made. Milliseconds. */
const KEPT_MS = 600_000;

/** The moment, and luck. */
interface Moment {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/**
 * Who waits for room in a quota, by namespace.
 *
 * Flow: a pass ends with `settled`, which notes a resource that a quota refused something → a quota makes room: `made` names
 * those who wait → their holds are shortened ({@link withRoom}), and they are looked at when these end.
 *
 * Guarantees: costs nothing where nobody waits; room that was made while a pass was under way is not missed.
 *
 * Caveats: a cluster-scoped resource, in namespace "", waits for room in any.
 */
export class QuotaRoom {
  /** When room was last made, by namespace, the latest last. */
  readonly #madeAt = new Map<string, number>();
  readonly #waiting = new Map<string, Set<Key>>();

  /**
   * Notes whether a resource waits for room, now that a pass over it has ended.
   *
   * @returns its holds, shortened when room was made since the pass began
   */
  settled(key: Key, holds: Holds, moment: Moment): Holds {
    const namespace = namespaceOf(key);
    const after = withRoom(holds, { ...moment, madeAt: this.#madeAt.get(namespace) ?? -Infinity });
    if (isRefusedByQuota(after)) this.#waiting.set(namespace, (this.#waiting.get(namespace) ?? new Set()).add(key));
    else this.forget(key);
    return after;
  }

  /** Forgets a resource. */
  forget(key: Key): void {
    const namespace = namespaceOf(key);
    const keys = this.#waiting.get(namespace);
    if (keys?.delete(key) === true && keys.size === 0) this.#waiting.delete(namespace);
  }

  /**
   * A quota of a namespace makes room.
   *
   * @param now - epoch milliseconds
   * @returns who waited for it, and waits no more
   */
  made(namespace: string, now: number): readonly Key[] {
    return [...new Set([namespace, ''])].flatMap((where) => {
      this.#note(where, now);
      const keys = [...(this.#waiting.get(where) ?? [])];
      this.#waiting.delete(where);
      return keys;
    });
  }

  #note(namespace: string, now: number): void {
    this.#madeAt.delete(namespace);
    this.#madeAt.set(namespace, now);
    for (const [other, at] of this.#madeAt) {
      if (now - at <= KEPT_MS) return;
      this.#madeAt.delete(other);
    }
  }
}
