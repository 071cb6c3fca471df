import type { ReconcileError } from '#lib/errors.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';
import type { WatchLists } from '#lib/kube/reflector/watch-list.ts';
import type { Evidence } from '#lib/loop/cache/restored/restores.ts';
import type { LoopMetrics } from '#lib/loop/context/metrics.ts';
import type { Logger } from '#lib/telemetry/log.ts';

/** Settings and services that all sources of a process share. */
export interface SourceSurroundings {
  readonly api: Pick<KubeApi, 'get' | 'list' | 'watch'>;
  readonly timers: Timers;
  /** Returns a random number, uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Logger;
  /** @default counts nothing */
  readonly metrics?: LoopMetrics;
  /**
   * The namespaces that the loop watches; each has its own list and watch. Cluster-scoped objects are watched in addition. The
   * process needs no right to read other namespaces.
   *
   * @default all namespaces, with one watch
   */
  readonly namespaces?: readonly string[];
  /**
   * The time without an event or bookmark after which a watch counts as dead, in milliseconds; Infinity for never.
   *
   * @default 90000
   */
  readonly silenceMs?: number;
  /**
   * Whether to request watches that begin with all existing objects. If the server does not support such watches, the loop lists
   * the objects.
   *
   * @default true
   */
  readonly watchLists?: boolean;
  /**
   * Whether the rules for functions are enforced: a read of a field that the kind does not declare throws, and each function is
   * called twice and must return the same result. Only for simulations, because the cache then keeps whole objects, and calls
   * take twice the time.
   *
   * @default false
   */
  readonly checksFunctions?: boolean;
  /**
   * The approximate time between two audits of a cache, in milliseconds; 0 for none. An audit compares the cache with the API
   * server.
   *
   * @default 0
   */
  readonly resyncMs?: number;
  /**
   * The memory limit of one resource, in bytes, as `sizeOf` counts. A larger resource is `Stalled` with the reason `TooLarge`:
   * its function is not called, and its children stay unchanged. A resource that is being deleted is an exception.
   *
   * @default Infinity
   */
  readonly maxResourceBytes?: number;
  /**
   * The memory limit of all resources together, in bytes, which namespaces share. Resources beyond the limit are `Stalled` with
   * the reason `TooLarge` until there is room. A second limit of the same size applies to large children and objects that are
   * looked up.
   *
   * @default Infinity
   */
  readonly maxResourcesBytes?: number;
  /** Called after every failure of a list or watch, before the next attempt. Must not throw. */
  readonly onWatchError?: (error: ReconcileError) => void;
  /** Called for a proof that the storage of the API server was restored, unless the cache is in doubt already. Must not throw. */
  readonly onRestored?: (evidence: Evidence) => void;
}

/** The surroundings of all sources of a process, and the state that the sources share. */
export interface SharedSurroundings extends Omit<SourceSurroundings, 'watchLists'> {
  readonly watchLists: WatchLists;
}
