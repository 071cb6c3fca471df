import { NotLeadingError } from '#lib/errors.ts';
import { systemTimers, type Timers } from '#lib/kube/interface/timers.ts';
import type { Guardian } from '#lib/loop/guardian/guardian.ts';
import type { Closers } from '#lib/runtime/closers.ts';
import type { Logger } from '#lib/telemetry/log.ts';

/**
 * The time for which a process that released the lease is no candidate, in milliseconds: other candidates read the lease every
 * 2 to 2.4 s, so a replica that is ready takes it within this time.
 */
export const REST_MS = 60_000;

/** Whether this process should hold the lease. */
export interface Fitness {
  /** Called when the loop becomes ready or stops being ready. */
  readonly onReadiness: (isReady: boolean) => void;
  /** Resolves with the reason for the end when this process leads and is not ready. */
  readonly unfit: Promise<typeof UNFIT>;
}

/** Why a run ends whose process should not lead. */
export const UNFIT = 'not ready as leader';

/**
 * Makes a process a candidate while it is ready, and no longer.
 *
 * Guarantees: a process that is not ready never takes the lease, except by a request that is already running; `unfit` reports
 * this case, too.
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

/** The parts that an unfit leader ends, and the signal that shortens its pause. */
export interface StandDown {
  /** The passes, the events, the lease. */
  readonly work: Pick<Closers, 'closeAll'>;
  readonly log: Pick<Logger, 'error'>;
  /** Resolves when the process is to end anyway. */
  readonly asked: Promise<string>;
  /** @default those of the process */
  readonly timers?: Timers;
}

/**
 * Releases the lease and pauses: the process continues to serve health, metrics and webhook, and is no candidate. A new process
 * is a candidate as soon as its caches are filled.
 *
 * @returns when the process is asked to end
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
