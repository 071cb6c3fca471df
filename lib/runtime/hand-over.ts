import type { KubeClient } from '#lib/kube/client.ts';
import { systemTimers, type Timers } from '#lib/kube/timers.ts';
import type { Recorder } from '#lib/loop/events/recorder.ts';
import type { Guardian } from '#lib/loop/guardian/guardian.ts';
import type { Manager } from '#lib/loop/manager.ts';
import type { Logger } from '#lib/telemetry/log.ts';
import type { Closers } from './closers.ts';

/**
 * How long passes under way may take to end after SIGTERM, in milliseconds. Whoever stands by looks at the lease every 2 to
 * 2.4 s, and is to work within 5.
 */
const DRAIN_MS = 2000;

/** What draining takes from outside. */
export interface DrainOptions {
  readonly log: Pick<Logger, 'warn'>;
  /** Breaks off the requests under way. */
  readonly abandon: () => Promise<void>;
  /** @default those of the process */
  readonly timers?: Timers;
}

/**
 * Stops the loop: begins nothing more, lets the passes under way end, and breaks off the requests of those that do not in time.
 * What a request that was broken off did all the same is found by whoever works next.
 *
 * @returns false when something had to be broken off
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

/** What ends first, in this order. */
export interface HandOver {
  readonly manager: Pick<Manager, 'stop'>;
  readonly recorder: Pick<Recorder, 'stop'>;
  readonly guardian: Pick<Guardian, 'stop'>;
  readonly client: Pick<KubeClient, 'abandon'>;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Lets a process end in the order in which another one can take over soonest: the passes, the events that wait, the lease. Whoever
 * stands by waits for the lease alone. When time is short, events are missed: they are writes, too, and need the lease.
 */
export const handOver = (closers: Closers, { manager, recorder, guardian, client, log }: HandOver): void => {
  let wasInTime = true;
  closers.push('lease', () => guardian.stop());
  closers.push('events', () => (wasInTime ? recorder.stop() : undefined));
  closers.push('passes', async () => {
    wasInTime = await drain(manager, { log, abandon: () => client.abandon() });
  });
};
