import { NotLeadingError } from '#lib/errors.ts';
import { systemTimers, type Timers } from '#lib/kube/interface/timers.ts';
import type { Guardian } from '#lib/loop/guardian/guardian.ts';
import type { Closers } from '#lib/runtime/closers.ts';
import type { Logger } from '#lib/telemetry/log.ts';

/**
 * The time for which a process that released the lease is not a candidate, in milliseconds. Other candidates read the lease every
 * 2 to 2.4 s, so a replica that is ready takes the lease within this time.
 */
export const REST_MS = 60_000;

/** Whether this process should hold the lease. */
export interface Fitness {
  /** Called when the loop becomes ready or stops being ready. */
  readonly onReadiness: (isReady: boolean) => void;
  /** Resolves when this process leads although it is not ready. */
  readonly unfit: Promise<typeof UNFIT>;
}

/** The reason for the end of a process that leads although it is not ready. */
export const UNFIT = 'not ready as leader';

/**
 * Makes a process a candidate for the lease while it is ready, and only then.
 *
 * Guarantees: a process that is not ready never takes the lease, except by a request that is already running. If such a request
 * takes the lease, `unfit` resolves.
 */
export const fitnessOf = ({ leadership, stand }: Pick<Guardian, 'leadership' | 'stand'>): Fitness => {
  const { promise: unfit, resolve } = Promise.withResolvers<typeof UNFIT>();
  const state = { isReady: false, leads: false };
  const judge = (): void => {
    if (state.leads && !state.isReady) resolve(UNFIT);
  };
  const lead = async (): Promise<void> => {
    await leadership?.acquired;
    state.leads = leadership !== undefined;
    judge();
  };
  void lead();
  const onReadiness = (isReady: boolean): void => {
    state.isReady = isReady;
    stand(isReady);
    judge();
  };
  return { onReadiness, unfit };
};

/** Options of {@link standDown}. */
export interface StandDown {
  /** The parts that are ended: passes, events and the lease. */
  readonly work: Pick<Closers, 'closeAll'>;
  readonly log: Pick<Logger, 'error'>;
  /** Resolves with the reason when the process must end for another reason. */
  readonly asked: Promise<string>;
  /** The timers of the pause. @default the timers of the process */
  readonly timers?: Timers;
}

/**
 * Releases the lease and pauses. During the pause, the process serves health, metrics and webhook, and is not a candidate. The
 * process that replaces it is a candidate as soon as its caches are filled.
 *
 * @returns the reason, when the process must end for another reason
 * @throws {NotLeadingError} after {@link REST_MS}, so that the process is restarted
 */
export const standDown = async ({ work, log, asked, timers = systemTimers }: StandDown): Promise<string> => {
  log.error({ restMs: REST_MS }, 'leading, and not ready: releasing the lease for a replica that is');
  await work.closeAll();
  const { promise: rested, resolve } = Promise.withResolvers<undefined>();
  const cancel = timers.setTimer(REST_MS, () => resolve(undefined));
  const reason = await Promise.race([asked, rested]);
  cancel();
  if (reason !== undefined) return reason;
  throw new NotLeadingError('Released the lease: required watches fail in this process; it must be restarted');
};
