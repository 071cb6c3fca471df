import { NotLeadingError } from '#lib/errors.ts';
import { systemTimers, type Timers } from '#lib/kube/interface/timers.ts';
import type { Guardian } from '#lib/loop/guardian/guardian.ts';
import type { Closers } from '#lib/runtime/closers.ts';
import type { Logger } from '#lib/telemetry/log.ts';

/**
 * The time from the release of the lease to the end of the process, in milliseconds. Other candidates read the lease every 2
 * to 2.4 s, so a ready replica takes the lease within this time.
 */
export const REST_MS = 60_000;

/** The link between the readiness of the loop and the candidacy of the process. */
export interface Fitness {
  /** Called when the loop becomes ready or stops being ready. */
  readonly onReadiness: (isReady: boolean) => void;
  /** Resolves when this process leads although it is not ready. */
  readonly unfit: Promise<typeof UNFIT>;
}

/** The reason for the end of a process that leads although it is not ready. */
export const UNFIT = 'not ready as leader';

/**
 * Makes the process a candidate for the lease while the loop is ready.
 *
 * Guarantees: `unfit` resolves if the process leads while it is not ready. This also covers a lease request that was running
 * when the readiness ended.
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
  /** The closers of passes, events and the lease. */
  readonly work: Pick<Closers, 'closeAll'>;
  readonly log: Pick<Logger, 'error'>;
  /** Resolves with a reason when the process must end before the pause is over. */
  readonly asked: Promise<string>;
  /** The timers of the pause. @default the timers of the process */
  readonly timers?: Timers;
}

/**
 * Closes `work`, which releases the lease, and waits {@link REST_MS}.
 *
 * @returns the reason from `asked`, if it resolves first
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
