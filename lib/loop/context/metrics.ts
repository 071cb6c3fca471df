/** Why a pass ended as it did, in controller-runtime's words. */
export type ReconcileResult = 'success' | 'requeue' | 'requeue_after' | 'error';

/** The values that metrics read of a controller on demand; they cost nothing until then. */
export interface ControllerProbe {
  /** How many passes may run at once. */
  readonly concurrency: number;
  /** Keys that are ready and not handed out. */
  readonly depth: () => number;
  /** How long each key that is handed out has been so, in milliseconds. */
  readonly unfinishedMs: () => readonly number[];
  /** How long the status that is out of date for the longest time has been so, in milliseconds; 0 when none is. */
  readonly staleMs: () => number;
}

/** The counters of one controller. Every method is a few additions: no pass is slower for it. */
export interface ControllerMetrics {
  /** A key became ready. */
  added(): void;
  /** A key waits for another try after a failure. */
  retried(): void;
  /** A key was handed out after `waitedMs` milliseconds. */
  taken(waitedMs: number): void;
  /** A key was given back after `workedMs` milliseconds. */
  done(workedMs: number): void;
  /** A pass ended after `tookMs` milliseconds. */
  reconciled(result: ReconcileResult, tookMs: number): void;
  /** A function of the kind threw, or the loop has a bug. */
  panicked(): void;
  /** A pass failed, and no retry can succeed: the function or the resource has to change. */
  failedForGood(): void;
  /** Children that are as they should be, so that nothing was sent. */
  skipped(count: number): void;
  /** A write to a child was refused. @param reason - one of the few words of `Refusal` */
  refused(verb: string, reason: string): void;
  /** The status was written after it had been out of date for `staleMs` milliseconds. */
  statusWritten(staleMs: number): void;
  /** A status was not written. @param reason - one of the few words of `Refusal`; `FieldConflict`: another writer keeps changing it */
  statusFailed(reason: string): void;
}

/** The values that metrics read of a watch on demand. */
export interface WatchProbe {
  /** Milliseconds since the last event or bookmark of the server. */
  readonly silenceMs: () => number;
  /** Objects in its cache. */
  readonly objects: () => number;
  /** In how many namespaces the API server refuses it (403, 404), though a kind needs it; 1 where one watch is for all. */
  readonly refused: () => number;
}

/** The counters of one watch. */
export interface WatchMetrics {
  /** A list is in the cache, including the first one. */
  listed(): void;
  /** A list or watch failed. */
  failed(): void;
  /** Counts objects that an audit repaired in the cache. */
  repaired(count: number): void;
}

/** The values that metrics read of the writes of the process on demand. */
export interface WritesProbe {
  /** How many may be under way now; less than the setting while the API server is too busy. */
  readonly limit: () => number;
  /** How many wait. */
  readonly waiting: () => number;
}

/** The outcome of an event. */
export type EventOutcome = 'created' | 'series' | 'limited' | 'dropped' | 'failed';

/** The source of a proof that the storage of the API server was restored: a list, the answer to a live read or a write, or the lease. */
export type RestoreEvidence = 'list' | 'answer' | 'lease';

/** The metrics of the loop. Names of objects are not in them, so that the number of series is bounded. */
export interface LoopMetrics {
  /** @param name - of the controller, unique in the process */
  controller(name: string, probe: ControllerProbe): ControllerMetrics;
  /** @param resource - such as `podsets.app.example.com` */
  watch(resource: string, probe: WatchProbe): WatchMetrics;
  /** The writes of all controllers together. */
  writes(probe: WritesProbe): void;
  /** An event was sent, or was not. */
  event(outcome: EventOutcome): void;
  /** The storage of the API server was found restored. */
  restored(evidence: RestoreEvidence): void;
  /** @param name - of the lease */
  leading(name: string, isLeader: boolean): void;
}

const nothing = (): void => undefined;

/** Counts nothing. */
export const noControllerMetrics: ControllerMetrics = {
  added: nothing,
  retried: nothing,
  taken: nothing,
  done: nothing,
  reconciled: nothing,
  panicked: nothing,
  failedForGood: nothing,
  skipped: nothing,
  refused: nothing,
  statusWritten: nothing,
  statusFailed: nothing,
};

/** Metrics that count nothing, for loops without metrics, as in simulations. */
export const noMetrics: LoopMetrics = {
  controller: () => noControllerMetrics,
  watch: () => ({ listed: nothing, failed: nothing, repaired: nothing }),
  writes: nothing,
  event: nothing,
  restored: nothing,
  leading: nothing,
};
