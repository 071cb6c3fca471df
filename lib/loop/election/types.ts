import type { ReconcileError } from '#lib/errors.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';
import type { LeaseRecord, LeaseTarget } from './lease-object.ts';
import type { LeaseTimes } from './times.ts';

/**
 * The time before which no other process takes over, by two clocks. Both are necessary, because one of them may stop during a
 * sleep of the machine.
 */
export interface LeaseValidity {
  /** The time by `timers.elapsed()`, in milliseconds. */
  readonly elapsedMs: number;
  /** The time by the wall clock, in epoch milliseconds. */
  readonly wallMs: number;
}

/** The times of a request that took or renewed the lease, by `timers.elapsed()`, in milliseconds. */
export interface Sent {
  readonly sentAtMs: number;
  /** The time since which no other process may write. @default `sentAtMs` */
  readonly aloneSinceMs?: number;
}

/** Two resource versions of a lease: the newer version that was observed first, and the older version that is stored now. */
export interface LeaseVersions {
  readonly seen: string;
  readonly shown: string;
}

/** Receives the progress of the election. Methods must not throw. */
export interface ElectionListener {
  /**
   * This candidate leads from now on.
   *
   * @param aloneSinceMs - the time since which no other process may write, by `timers.elapsed()`
   */
  acquired(validity: LeaseValidity, aloneSinceMs: number): void;
  /** The leadership continues. */
  renewed(validity: LeaseValidity): void;
  /** This candidate does not lead any more. It cannot lead again. */
  lost(why: string): void;
  /** The first read of the lease succeeded or failed; called once, after `acquired` if this candidate leads. */
  attempted(): void;
  /**
   * The lease has an older version than before, so the storage was restored.
   *
   * @param seenAtMs - the time of the last read of the newer version, by `timers.elapsed()`
   */
  restored(versions: LeaseVersions, seenAtMs: number): void;
  /** Another process leads. Called when the holder differs from the last reported holder. */
  follows(holder: string): void;
  /** An attempt, or the release, failed. The next attempt follows after `retryInMs`; after a failed release, there is none. */
  failed(error: ReconcileError, retryInMs: number): void;
}

/** Options of {@link startElection}. */
export interface ElectionOptions {
  readonly api: Pick<KubeApi, 'get' | 'apply' | 'patch'>;
  readonly lease: LeaseTarget;
  /** The name of this process in the lease, different from that of every other process: `<pod name>_<random>`. */
  readonly identity: string;
  readonly times: LeaseTimes;
  readonly timers: Timers;
  /** Returns a random number, uniform in [0, 1). */
  readonly random: () => number;
  readonly listener: ElectionListener;
  /** Whether this process is a candidate from the start. Otherwise it only observes the lease until `stand`. @default true */
  readonly stands?: boolean;
}

/** A candidate for the lease, or the leader. */
export interface Election {
  /**
   * Sets whether this process takes the lease when it is free, or only observes it. A call does not end a leadership.
   *
   * @param stands - whether this process is a candidate
   */
  stand(stands: boolean): void;
  /** Ends the candidacy and releases the lease, so that another process can lead. Never rejects. */
  release(): Promise<void>;
}

/** A lease as this process has read it. */
export interface ObservedLease {
  readonly record: LeaseRecord;
  readonly resourceVersion: string;
  /** The time of the first read of the lease with this content, by `timers.elapsed()`. */
  readonly atMs: number;
}

/** A lease that this process may take, and the time since which it is free. */
export interface FreeLease {
  readonly observed: ObservedLease | undefined;
  readonly sinceMs: number;
}
