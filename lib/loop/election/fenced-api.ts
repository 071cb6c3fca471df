import type { KubeApi } from '#lib/kube/api.ts';
import type { Leadership } from './leadership.ts';

/**
 * The API server for somebody who may write only while this process leads.
 *
 * Guarantees: a create, an apply, a patch or a deletion is not started unless it can end, or time out, before anybody else
 * takes over; while the lease is late it waits. Reads pass.
 *
 * Assumptions: writes of `api` time out after the write timeout of `leadership`.
 *
 * Caveats: every write rejects with `NotLeadingError` once the leadership has ended; it was not sent then.
 */
export const fencedApi = (api: KubeApi, leadership: Leadership): KubeApi => {
  const fenced = async <R>(write: () => Promise<R>): Promise<R> => {
    if (!leadership.mayWrite()) await leadership.untilMayWrite();
    return write();
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
