import { NotLeadingError } from '#lib/errors.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';
import type { LeaseValidity } from './types.ts';

/** A leadership that has begun. */
export interface Acquired {
  /** Since when no other process may have written, by `Timers.elapsed`: the lease was free from then until it was taken. */
  readonly aloneSinceMs: number;
}

/** Whether this process may write. */
export interface Leadership {
  /** Resolves when it leads for the first time. */
  readonly acquired: Promise<Acquired>;
  /** True while a write that starts now ends before another process takes over. Reads two clocks; costs some 100 ns. */
  mayWrite(): boolean;
  /**
   * Resolves when `mayWrite()` is true again: the lease is late, and may yet be renewed.
   *
   * @throws {NotLeadingError} when it never will
   */
  untilMayWrite(): Promise<void>;
}

/** Options of {@link createLeadership}. */
export interface LeadershipOptions {
  readonly timers: Timers;
  /** The time limit of a write, in milliseconds: no write starts when less time is left. */
  readonly writeTimeoutMs: number;
  /** The latest state of the election; zeros before the first. May be read from memory that another thread writes. */
  readonly validity: () => LeaseValidity;
}

/** A leadership, as the election controls it. */
export interface HeldLeadership extends Leadership {
  /** Begins it. */
  acquire(acquired: Acquired): void;
  /** Ends the leadership: waiting writes are refused. */
  end(why: string): void;
}

/** The interval at which waiting writes check the lease, in milliseconds. */
const LOOK_AGAIN_MS = 25;

/**
 * A leadership that another thread holds for this one.
 *
 * Flow: `acquire` → writes, as long as the validity is extended → `end`.
 *
 * Guarantees: computed at each call, from memory alone, so that a process that was paused gets the right answer as soon as it
 * runs again. The leadership has expired when either clock says so: while a machine sleeps, only its wall clock advances.
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
