import type { Actor } from '#lib/controllers/actor.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';

/** @see https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/ (`--etcd-compaction-interval`) */
const INTERVAL_MS = 300_000;

/** @see k8s.io/apiserver v0.36.4 pkg/storage/cacher/watch_cache.go (`defaultLowerBoundCapacity`) */
const KEPT_CHANGES = 100;

/**
 * Forgets what happened more than five to ten minutes ago, as the API server has etcd do. Watches may go back further where little
 * happened, as by the watch cache. At rest nothing is done.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/storage/etcd3/compact.go (`compactor`)
 * @param now - epoch milliseconds
 */
export const compaction = (server: ApiServer, now: () => number): Actor => {
  let nextMs = now() + INTERVAL_MS;
  /** The version at the last look: it is forgotten at the next one. */
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
