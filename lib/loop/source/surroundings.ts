import type { ReconcileError } from '#lib/errors.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';
import type { WatchLists } from '#lib/kube/reflector/watch-list.ts';
import type { Evidence } from '#lib/loop/cache/restored/restores.ts';
import type { LoopMetrics } from '#lib/loop/context/metrics.ts';
import type { Logger } from '#lib/telemetry/log.ts';

/** The surroundings of all sources of a process. */
export interface SourceSurroundings {
  readonly api: Pick<KubeApi, 'get' | 'list' | 'watch'>;
  readonly timers: Timers;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Logger;
  /** @default counts nothing */
  readonly metrics?: LoopMetrics;
  /**
   * The namespaces whose objects are reconciled and watched, each with its own list and watch; cluster-scoped objects are
   * watched in addition. The process needs no right to read other namespaces.
   *
   * @default all, by one watch
   */
  readonly namespaces?: readonly string[];
  /** How long a watch may bring nothing before it counts as dead, in milliseconds; Infinity for any time. @default 90000 */
  readonly silenceMs?: number;
  /** Whether to ask for watches that begin with everything there is. @default true; where the server has none, lists */
  readonly watchLists?: boolean;
  /**
   * Whether the contract of functions is enforced: a read of a field that the kind does not declare throws, and each function
   * is called twice and must return the same. For simulations: objects are kept whole, and calls cost double.
   *
   * @default false
   */
  readonly checksFunctions?: boolean;
  /** Milliseconds between audits of a cache, which compare it with a list of metadata and repair it; 0 for none. @default 0 */
  readonly resyncMs?: number;
  /**
   * The memory limit of one resource, in bytes, as `sizeOf` counts. A larger one is `Stalled`, reason `TooLarge`: its function
   * is not called, and its children stay unchanged.
   *
   * @default Infinity
   */
  readonly maxResourceBytes?: number;
  /**
   * The memory limit of all resources together, in bytes, shared by namespaces. Resources beyond it are `Stalled`, reason
   * `TooLarge`, until there is room. Large children, and objects that are looked up, have as much again.
   *
   * @default Infinity
   */
  readonly maxResourcesBytes?: number;
  /** Called for every list and watch that failed, before it is tried again. Must not throw. */
  readonly onWatchError?: (error: ReconcileError) => void;
  /** Called with the proof that the storage of the API server was restored. Must not throw. */
  readonly onRestored?: (evidence: Evidence) => void;
}

/** The surroundings of all sources of a process, and the knowledge that the sources share. */
export interface SharedSurroundings extends Omit<SourceSurroundings, 'watchLists'> {
  readonly watchLists: WatchLists;
}
