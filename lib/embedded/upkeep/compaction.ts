import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { Actor } from '#lib/controllers/actor.ts';

/**
 * Interval of compactions, in milliseconds.
 *
 * @see https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/ (`--etcd-compaction-interval`)
 */
const INTERVAL_MS = 300_000;

/**
 * Number of changes that a resource keeps regardless of their age.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/storage/cacher/watch_cache.go (`defaultLowerBoundCapacity`)
 */
const KEPT_CHANGES = 100;

/**
 * Drops history that is older than five to ten minutes, as etcd does for a real API server. Each resource keeps its last 100
 * changes regardless of their age, as the real watch cache does. In an idle cluster, this actor has no steps.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/storage/etcd3/compact.go (`compactor`)
 * @param now - returns epoch milliseconds
 */
export const compaction = (server: ApiServer, now: () => number): Actor => {
  let nextMs = now() + INTERVAL_MS;
  /** The resource version at the previous compaction. The next compaction drops the history up to this version. */
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
