import { NotLeadingError } from '#lib/errors.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';
import type { LeaseValidity } from './types.ts';

/** The start of a leadership. */
export interface Acquired {
  /**
   * The time since which no other process may write, by `Timers.elapsed`: from then on, the lease was free, until this process
   * took it.
   */
  readonly aloneSinceMs: number;
}

/** Whether this process may write. */
export interface Leadership {
  /** Resolves when this process leads for the first time. */
  readonly acquired: Promise<Acquired>;
  /** Whether a write that starts now ends before another process takes over. The call reads two clocks, in about 100 ns. */
  mayWrite(): boolean;
  /**
   * Waits until `mayWrite()` is true, for example while a renewal of the lease is late.
   *
   * @throws {NotLeadingError} when the leadership has ended
   */
  untilMayWrite(): Promise<void>;
}

/** Options of {@link createLeadership}. */
export interface LeadershipOptions {
  readonly timers: Timers;
  /** The time limit of a write, in milliseconds. No write starts when the lease is valid for a shorter time. */
  readonly writeTimeoutMs: number;
  /** Returns the current validity of the lease; zeros before the first leadership. May read memory that another thread writes. */
  readonly validity: () => LeaseValidity;
}

/** A leadership with the methods that begin and end it. */
export interface HeldLeadership extends Leadership {
  /** Resolves `acquired`. */
  acquire(acquired: Acquired): void;
  /** Ends the leadership. Waiting writes are refused with the reason. */
  end(why: string): void;
}

/** The interval at which waiting writes check the lease, in milliseconds. */
const LOOK_AGAIN_MS = 25;

/**
 * The leadership of this process. Another thread of the process may hold the lease.
 *
 * Flow: `acquire` → writes, as long as the validity is extended → `end`.
 *
 * Guarantees: each call of `mayWrite` reads the clocks and the validity, so the result is right even after a pause of the
 * process. The lease has expired when either of two clocks shows the end, because only the wall clock advances while a machine
 * sleeps.
 */
export const createLeadership = ({ timers, writeTimeoutMs, validity }: LeadershipOptions): HeldLeadership => {
  const { promise: acquired, resolve } = Promise.withResolvers<Acquired>();
  let ended: string | undefined;
  const mayWrite = (): boolean => {
    const { elapsedMs, wallMs } = validity();
    const isValid = timers.elapsed() <= elapsedMs - writeTimeoutMs && timers.now() <= wallMs - writeTimeoutMs;
    return isValid && ended === undefined;
  };
  const untilMayWrite = async (): Promise<void> => {
    while (!mayWrite()) {
      if (ended !== undefined) throw new NotLeadingError(`Writes are no longer allowed: ${ended}`);
      const { promise, resolve: goOn } = Promise.withResolvers<void>();
      timers.setTimer(LOOK_AGAIN_MS, goOn);
      await promise;
    }
  };
  return {
    acquired,
    mayWrite,
    untilMayWrite,
    acquire: resolve,
    end: (why) => {
      ended ??= why;
    },
  };
};
