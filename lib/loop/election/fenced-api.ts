import { NotLeadingError } from '#lib/errors.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import { aroundWrites } from '#lib/loop/flow/around-writes.ts';
import type { Leadership } from './leadership.ts';

/**
 * The check that a client makes immediately before it sends a write.
 *
 * @throws {NotLeadingError} when this process may not write
 */
export const refuseLate = (leadership: Leadership): void => {
  if (!leadership.mayWrite())
    throw new NotLeadingError('Not sent: the lease is late, and may be over before the answer');
};

/**
 * A client that sends writes only while this process leads.
 *
 * Guarantees: a write starts only if it can end, or time out, before another process takes over. While a renewal of the lease
 * is late, the write waits. Reads are not delayed.
 *
 * Assumptions: `api` checks `leadership` again immediately before it sends a write ({@link refuseLate}); its writes have the
 * time limit that `leadership` assumes.
 *
 * Caveats: after the end of the leadership, every write rejects with `NotLeadingError` and is not sent.
 */
export const fencedApi = (api: KubeApi, leadership: Leadership): KubeApi =>
  aroundWrites(api, async (write) => {
    for (;;) {
      if (!leadership.mayWrite()) await leadership.untilMayWrite();
      try {
        return await write();
      } catch (error) {
        // The write was not sent, because the renewal of the lease became late while the write waited for a connection.
        if (!(error instanceof NotLeadingError)) throw error;
      }
    }
  });
