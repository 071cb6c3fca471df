import { NotLeadingError } from '#lib/errors.ts';
import type { KubeApi } from '#lib/kube/api.ts';
import type { Leadership } from './leadership.ts';

/**
 * What a client asks right before a write leaves.
 *
 * @throws {NotLeadingError} when it must not
 */
export const refuseLate = (leadership: Leadership): void => {
  if (!leadership.mayWrite())
    throw new NotLeadingError('Not sent: the lease is late, and may be over before the answer');
};

/**
 * The API server for somebody who may write only while this process leads.
 *
 * Guarantees: a create, an apply, a patch or a deletion is not started unless it can end, or time out, before anybody else
 * takes over; while the lease is late it waits. Reads pass.
 *
 * Assumptions: `api` asks `leadership` once more right before it sends ({@link refuseLate}); its writes time out after the write timeout of `leadership`.
 *
 * Caveats: every write rejects with `NotLeadingError` once the leadership has ended; it was not sent then.
 */
export const fencedApi = (api: KubeApi, leadership: Leadership): KubeApi => {
  const fenced = async <R>(write: () => Promise<R>): Promise<R> => {
    for (;;) {
      if (!leadership.mayWrite()) await leadership.untilMayWrite();
      try {
        return await write();
      } catch (error) {
        // Not sent after all: it had to wait for a connection, and the lease grew late meanwhile.
        if (!(error instanceof NotLeadingError)) throw error;
      }
    }
  };
  return {
    ...api,
    create: async (...request) => fenced(async () => api.create(...request)),
    apply: async (...request) => fenced(async () => api.apply(...request)),
    patch: async (...request) => fenced(async () => api.patch(...request)),
    patchStatus: async (...request) => fenced(async () => api.patchStatus(...request)),
    delete: async (...request) => fenced(async () => api.delete(...request)),
  };
};
