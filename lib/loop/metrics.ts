/** Why a pass ended as it did, in controller-runtime's words. */
export type ReconcileResult = 'success' | 'requeue' | 'requeue_after' | 'error';

/** What is read of a controller when somebody asks; costs nothing until then. */
export interface ControllerProbe {
  /** How many passes may run at once. */
  readonly concurrency: number;
  /** Keys that are ready and not handed out. */
  readonly depth: () => number;
  /** How long each key that is handed out has been so, in milliseconds. */
  readonly unfinishedMs: () => readonly number[];
}

/** What one controller counts. Every method is a few additions: no pass is slower for it. */
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
  /** A pass failed for what no retry cures: the function or the resource has to change. */
  failedForGood(): void;
  /** Children that are as they should be, so that nothing was sent. */
  skipped(count: number): void;
  /** A write to a child was refused. @param reason - one of the few words of `Refusal` */
  refused(verb: string, reason: string): void;
  /** The status was written. */
  statusWritten(): void;
}

/** What is read of a watch when somebody asks. */
export interface WatchProbe {
  /** Milliseconds since the server was last heard on it, bookmarks included. */
  readonly silenceMs: () => number;
  /** Objects in its cache. */
  readonly objects: () => number;
}

/** What one watch counts. */
export interface WatchMetrics {
  /** A list was taken over, the first one included. */
  listed(): void;
  /** A list or watch failed. */
  failed(): void;
}

/** What became of an event. */
export type EventOutcome = 'created' | 'series' | 'limited' | 'dropped' | 'failed';

/** What the loop tells about itself in numbers. Names of objects never come in, so that their number is bounded. */
export interface LoopMetrics {
  /** @param name - of the controller, unique in the process */
  controller(name: string, probe: ControllerProbe): ControllerMetrics;
  /** @param resource - such as `podsets.app.example.com` */
  watch(resource: string, probe: WatchProbe): WatchMetrics;
  /** An event was sent, or was not. */
  event(outcome: EventOutcome): void;
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
};

/** Counts nothing: what a loop does without metrics, as in simulations. */
export const noMetrics: LoopMetrics = {
  controller: () => noControllerMetrics,
  watch: () => ({ listed: nothing, failed: nothing }),
  event: nothing,
  leading: nothing,
};
