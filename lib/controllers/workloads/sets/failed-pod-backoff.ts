interface Entry {
  readonly delay: number;
  readonly since: number;
}

const [FIRST_MS, LONGEST_MS] = [1000, 900_000];

/**
 * The delays before failed pods are deleted: none at first, then 1 s, 2 s, 4 s, …, at most 15 min. After 30 min without a
 * deletion, a key starts without delay again.
 *
 * @see k8s.io/client-go v0.36.4 util/flowcontrol/backoff.go
 */
export class FailedPodBackoff {
  readonly #entries = new Map<string, Entry>();

  #entryAt(key: string, now: number): Entry | undefined {
    const entry = this.#entries.get(key);
    return entry && now - entry.since <= 2 * LONGEST_MS ? entry : undefined;
  }

  /** The end of the delay of a key, in epoch milliseconds; undefined if no delay is pending. */
  endOf(key: string, now: number): number | undefined {
    const entry = this.#entryAt(key, now);
    const end = entry ? entry.since + entry.delay : now;
    return end > now ? end : undefined;
  }

  /** Records a deletion: the next delay is 1 s at first, and then twice the previous delay. */
  next(key: string, now: number): void {
    const entry = this.#entryAt(key, now);
    const delay = entry ? Math.min(entry.delay * 2, LONGEST_MS) : FIRST_MS;
    this.#entries.set(key, { delay, since: now });
  }

  memory(): unknown {
    return this.#entries.size === 0 ? undefined : Object.fromEntries(this.#entries);
  }
}
