/** The result of a pass, in the words of controller-runtime. */
export type ReconcileResult = 'success' | 'requeue' | 'requeue_after' | 'error';

/** The state of a controller, which the metrics read when they are collected. */
export interface ControllerProbe {
  readonly concurrency: number;
  /** The number of ready keys in the queue. */
  readonly depth: () => number;
  /** The duration of each running pass so far, in milliseconds. */
  readonly unfinishedMs: () => readonly number[];
  /** The age of the oldest status that is out of date, in milliseconds; 0 when all statuses are current. */
  readonly staleMs: () => number;
}

/** The counters of one controller. Each method must return quickly, because passes call it. */
export interface ControllerMetrics {
  /** A key became ready. */
  added(): void;
  /** A key waits for a retry after a failure. */
  retried(): void;
  /** A key was taken from the queue after it was ready for `waitedMs` milliseconds. */
  taken(waitedMs: number): void;
  /** The work on a key ended after `workedMs` milliseconds. */
  done(workedMs: number): void;
  /** A pass ended after `tookMs` milliseconds. */
  reconciled(result: ReconcileResult, tookMs: number): void;
  /** A function of the kind threw or did not return, or the loop has a bug. */
  panicked(): void;
  /** The result of a function was invalid, or the function never settles: the function or the resource has to change. */
  failedForGood(): void;
  /** Some children needed no write. */
  skipped(count: number): void;
  /**
   * A write to a child was refused, had no response, or had a result that admission changed.
   *
   * @param reason - a reason of `Refusal`
   */
  refused(verb: string, reason: string): void;
  /** The status was written after it had been out of date for `staleMs` milliseconds. */
  statusWritten(staleMs: number): void;
  /**
   * A write of the status failed, or is delayed because another client keeps changing the status.
   *
   * @param reason - a reason of `Refusal`, or `NotFound`; `FieldConflict` for the delay
   */
  statusFailed(reason: string): void;
}

/** The state of the watches of one resource, which the metrics read when they are collected. */
export interface WatchProbe {
  /** Milliseconds since the last list, event or bookmark; the longest time among several watches. */
  readonly silenceMs: () => number;
  /** The number of objects in the cache. */
  readonly objects: () => number;
  /**
   * The number of namespaces in which the API server refuses a required watch (403, 404). A watch of all namespaces counts as 1.
   */
  readonly refused: () => number;
}

/** The counters of the watches of one resource. */
export interface WatchMetrics {
  /** A list was put into the cache. The first list counts, too. */
  listed(): void;
  /** A list or watch failed. */
  failed(): void;
  /** An audit repaired `count` objects in the cache. */
  repaired(count: number): void;
}

/** The state of the writes of the process, which the metrics read when they are collected. */
export interface WritesProbe {
  /** The current limit of concurrent writes. It is lower than the setting while the API server is overloaded. */
  readonly limit: () => number;
  readonly waiting: () => number;
}

/**
 * The outcome of an event. `created`: the event is stored. `series`: the event is counted on a stored event. `limited`: the event
 * is over the limit of its object. `dropped`: too many events waited. `failed`: the event was refused, or no attempt succeeded.
 */
export type EventOutcome = 'created' | 'series' | 'limited' | 'dropped' | 'failed';

/**
 * The source of the evidence that the storage of the API server was restored: a list, the response to a read or write, or the
 * lease.
 */
export type RestoreEvidence = 'list' | 'answer' | 'lease';

/** The metrics of the loop. Their only name of an object is the name of the lease, so the number of series is bounded. */
export interface LoopMetrics {
  /** Adds a controller. @param name - the name of the controller, unique in the process */
  controller(name: string, probe: ControllerProbe): ControllerMetrics;
  /** Adds a watch. @param resource - the name of the resource, such as `podsets.app.example.com` */
  watch(resource: string, probe: WatchProbe): WatchMetrics;
  /** Adds the state of the writes of all controllers. */
  writes(probe: WritesProbe): void;
  event(outcome: EventOutcome): void;
  /** Counts a restore of the storage of the API server. */
  restored(evidence: RestoreEvidence): void;
  /** Sets whether this process is the leader. @param name - the name of the lease */
  leading(name: string, isLeader: boolean): void;
}

const nothing = (): void => undefined;

/** Metrics of a controller that count nothing. */
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

/** Metrics that count nothing, for example for simulations. */
export const noMetrics: LoopMetrics = {
  controller: () => noControllerMetrics,
  watch: () => ({ listed: nothing, failed: nothing, repaired: nothing }),
  writes: nothing,
  event: nothing,
  restored: nothing,
  leading: nothing,
};
