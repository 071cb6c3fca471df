import type { KubeApi } from '#lib/kube/interface/api.ts';

/** Calls a write now or later. @param namespace - the namespace of the object; empty for a cluster-scoped object */
export type AroundWrite = <R>(write: () => Promise<R>, namespace: string) => Promise<R>;

/** Returns a client that passes each write of the given client to a function. Reads are unchanged. */
export const aroundWrites = (api: KubeApi, around: AroundWrite): KubeApi => ({
  ...api,
  create: async (resource, object, options) =>
    around(async () => api.create(resource, object, options), options.namespace ?? ''),
  apply: async (resource, target, ...rest) =>
    around(async () => api.apply(resource, target, ...rest), target.namespace ?? ''),
  patch: async (resource, target, ...rest) =>
    around(async () => api.patch(resource, target, ...rest), target.namespace ?? ''),
  patchStatus: async (resource, target, ...rest) =>
    around(async () => api.patchStatus(resource, target, ...rest), target.namespace ?? ''),
  delete: async (resource, target, ...rest) =>
    around(async () => api.delete(resource, target, ...rest), target.namespace ?? ''),
});
