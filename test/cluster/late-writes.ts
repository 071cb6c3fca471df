import type { AuditEntry } from '#test/control-plane/audit.ts';

type Entry = Pick<AuditEntry, 'verb' | 'resource' | 'code' | 'requestReceivedTimestamp'>;

/** What an operator sent to the API server, by the audit log. */
export interface Deeds {
  readonly name: string;
  /** The requests that acquired or renewed the lease. */
  readonly renewals: readonly Entry[];
  /** All other writes. */
  readonly writes: readonly Entry[];
}

/** Writes that reached the API server when the lease had no time left for them, in words. */
export interface LateWrites {
  /** At most one for each renewal: a frozen process can have been about to send it. */
  readonly underWay: readonly string[];
  /** All others: an operator that checks its lease sends none of them. */
  readonly begun: readonly string[];
}

const msOf = ({ requestReceivedTimestamp }: Entry): number => Date.parse(requestReceivedTimestamp);

/**
 * Finds the late writes. A process that is frozen between its last look at the clock and the write to the socket sends this one
 * request when it continues. Its preconditions refuse the write if the object has changed. Otherwise the next leader corrects
 * the result.
 *
 * @param all - the operators that share a lease
 * @param allowedMs - the time after a renewal in which a write may reach the API server
 */
export const lateWrites = (all: readonly Deeds[], allowedMs: number): LateWrites => {
  const underWay: string[] = [];
  const begun: string[] = [];
  for (const { name, renewals, writes } of all) {
    const caught = new Set<number>();
    for (const write of writes) {
      const at = msOf(write);
      const renewedAt = Math.max(...renewals.map(msOf).filter((ms) => ms <= at));
      if (at - renewedAt <= allowedMs) continue;
      const { verb, resource, code } = write;
      const what = `${name} ${verb} ${resource} ${code}: ${at - renewedAt} ms after a renewal`;
      (caught.has(renewedAt) ? begun : underWay).push(what);
      caught.add(renewedAt);
    }
  }
  return { underWay, begun };
};
