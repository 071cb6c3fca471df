import type { ReconcileError } from '#lib/errors.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';
import type { LeaseTarget } from './lease-object.ts';
import type { LeaseTimes } from './times.ts';

/** The time before which no other process takes over, by two clocks: one may stop during a sleep that the other measures. */
export interface LeaseValidity {
  /** Milliseconds, as `timers.elapsed()` counts. */
  readonly elapsedMs: number;
  /** Epoch milliseconds. */
  readonly wallMs: number;
}

/** When a request was sent, and since when no other one may have written. */
export interface Sent {
  readonly sentAtMs: number;
  readonly aloneSinceMs?: number;
}

/** Two resource versions of a lease: the one that was seen, and an older one that is shown now. */
export interface LeaseVersions {
  readonly seen: string;
  readonly shown: string;
}

/** Receives the progress of the election. Methods must not throw. */
export interface ElectionListener {
  /** This candidate leads from now on. @param aloneSinceMs - since when no other one may have written, by `timers.elapsed()` */
  acquired(validity: LeaseValidity, aloneSinceMs: number): void;
  /** The leadership continues. */
  renewed(validity: LeaseValidity): void;
  /** It led and does not any more; there is no way back. */
  lost(why: string): void;
  /** The first read of the lease succeeded or failed; called once, after `acquired` if this candidate leads. */
  attempted(): void;
  /** The lease is of an older version than was seen: storage was restored. @param seenAtMs - when the newer one was last seen, by `timers.elapsed()` */
  restored(versions: LeaseVersions, seenAtMs: number): void;
  /** Another process leads; called once for each. */
  follows(holder: string): void;
  /** An attempt failed and is made again. */
  failed(error: ReconcileError, retryInMs: number): void;
}

/** Options of {@link startElection}. */
export interface ElectionOptions {
  readonly api: Pick<KubeApi, 'get' | 'apply' | 'patch'>;
  readonly lease: LeaseTarget;
  /** Different for every process, ever: `<pod name>_<random>`. */
  readonly identity: string;
  readonly times: LeaseTimes;
  readonly timers: Timers;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly listener: ElectionListener;
  /** Whether it takes the lease from the start; otherwise it only observes it, until `stand`. @default true */
  readonly stands?: boolean;
}

/** A candidate. */
export interface Election {
  /**
   * Takes the lease from now on when it is free, or only observes it. Does not change the leader.
   *
   * @param stands - whether it is a candidate
   */
  stand(stands: boolean): void;
  /** Ends the candidacy and gives the lease back, so that others need not wait. Never rejects. */
  release(): Promise<void>;
}
