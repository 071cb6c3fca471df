import { NotLeadingError } from '#lib/errors.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import { aroundWrites } from '#lib/loop/flow/around-writes.ts';
import type { Leadership } from './leadership.ts';

/**
 * The check of a client right before it sends a write.
 *
 * @throws {NotLeadingError} when it must not
 */
export const refuseLate = (leadership: Leadership): void => {
  if (!leadership.mayWrite())
    throw new NotLeadingError('Not sent: the lease is late, and may be over before the answer');
};

/**
 * The API server for writers that may only write while this process leads.
 *
 * Guarantees: a create, an apply, a patch or a deletion starts only if it can end, or time out, before another process takes
 * over; while the renewal of the lease is late, the write waits. Reads pass.
 *
 * Assumptions: `api` checks `leadership` once more right before it sends ({@link refuseLate}); its writes time out after the
 * write timeout of `leadership`.
 *
 * Caveats: every write rejects with `NotLeadingError` once the leadership has ended; it was not sent then.
 */
export const fencedApi = (api: KubeApi, leadership: Leadership): KubeApi =>
  aroundWrites(api, async (write) => {
    for (;;) {
      if (!leadership.mayWrite()) await leadership.untilMayWrite();
      try {
        return await write();
      } catch (error) {
        // Not sent after all: it had to wait for a connection, and the lease grew late meanwhile.
        if (!(error instanceof NotLeadingError)) throw error;
      }
    }
  });
