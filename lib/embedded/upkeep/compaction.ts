import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { Actor } from '#lib/controllers/actor.ts';

/** @see https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/ (`--etcd-compaction-interval`) */
const INTERVAL_MS = 300_000;

/** @see k8s.io/apiserver v0.36.4 pkg/storage/cacher/watch_cache.go (`defaultLowerBoundCapacity`) */
const KEPT_CHANGES = 100;

/**
 * Drops history that is older than five to ten minutes, as the API server has etcd do. Resources with few changes keep more,
 * like the real watch cache. An idle cluster does no work.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/storage/etcd3/compact.go (`compactor`)
 * @param now - returns epoch milliseconds
 */
export const compaction = (server: ApiServer, now: () => number): Actor => {
  let nextMs = now() + INTERVAL_MS;
  /** The version at the previous compaction; the next one drops history up to it. */
  let mark = server.resourceVersion;
  let compacted = mark;
  const run = (): void => {
    nextMs = now() + INTERVAL_MS;
    server.compact(mark, KEPT_CHANGES);
    compacted = mark;
    mark = server.resourceVersion;
  };
  return {
    name: 'compaction',
    steps: () =>
      compacted === server.resourceVersion ? [] : [{ label: 'compaction: forget old changes', notBefore: nextMs, run }],
  };
};
