import type { KubeClient } from '#lib/kube/client/client.ts';
import { systemTimers, type Timers } from '#lib/kube/interface/timers.ts';
import type { StartedRecorder } from '#lib/loop/events/recorder.ts';
import type { Guardian } from '#lib/loop/guardian/guardian.ts';
import type { Manager } from '#lib/loop/manager/manager.ts';
import type { Closers } from '#lib/runtime/closers.ts';
import type { Logger } from '#lib/telemetry/log.ts';

/**
 * The time limit for running passes after SIGTERM, in milliseconds. Another replica reads the lease every 2 to 2.4 s, and should
 * take over within 5 s.
 */
const DRAIN_MS = 2000;

/** Options of {@link drain}. */
export interface DrainOptions {
  readonly log: Pick<Logger, 'warn'>;
  /** Aborts the running requests. */
  readonly abandon: () => Promise<void>;
  /** The timers of the time limit. @default the timers of the process */
  readonly timers?: Timers;
}

/**
 * Stops the loop: starts no pass, and waits up to two seconds for running passes. After that, it aborts their requests.
 *
 * @returns false when the time limit was reached
 */
export const drain = async (
  manager: Pick<Manager, 'stop'>,
  { log, abandon, timers = systemTimers }: DrainOptions,
): Promise<boolean> => {
  const { promise: late, resolve } = Promise.withResolvers<'late'>();
  const cancel = timers.setTimer(DRAIN_MS, () => resolve('late'));
  const end = await Promise.race([manager.stop(), late]);
  cancel();
  if (end !== 'late') return true;
  log.warn({ afterMs: DRAIN_MS }, 'passes did not end in time, breaking off their requests');
  await abandon();
  return false;
};

/** The parts that {@link handOver} registers. */
export interface HandOver {
  readonly manager: Pick<Manager, 'stop'>;
  readonly recorder: Pick<StartedRecorder, 'stop'>;
  readonly guardian: Pick<Guardian, 'stop'>;
  readonly client: Pick<KubeClient, 'abandon'>;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Registers the parts with `closers`, which closes them in reverse order: passes, waiting events, lease. If the passes exceed
 * their time limit, waiting events are dropped, so that the lease is released sooner.
 */
export const handOver = (closers: Closers, { manager, recorder, guardian, client, log }: HandOver): void => {
  let wasInTime = true;
  closers.push('lease', () => guardian.stop());
  closers.push('events', () => (wasInTime ? recorder.stop() : undefined));
  closers.push('passes', async () => {
    wasInTime = await drain(manager, { log, abandon: () => client.abandon() });
  });
};
