import { systemTimers, type Timers } from '#lib/kube/interface/timers.ts';
import type { Logger } from '#lib/telemetry/log.ts';

/** Something that has to end before the process does. */
export interface Closer {
  /** The name of the part, for the log. */
  readonly what: string;
  readonly close: () => unknown;
}

/** How long one thing may take to end, in milliseconds; all of them together stay below the 40 s of the pod's grace. */
const CLOSE_MS = 5000;

/** The log for failures, and the timers of timeouts. */
export interface ClosersOptions {
  readonly log: Pick<Logger, 'error'>;
  /** @default those of the process */
  readonly timers?: Timers;
}

/**
 * The parts of a process that must be closed, in the reverse of the order in which they started.
 *
 * Guarantees: each is closed once, after the one before has ended, failed, or taken five seconds: whatever one of them does,
 * the others are closed, within a bounded time. `closeAll` never rejects.
 */
export class Closers {
  readonly #options: ClosersOptions;
  readonly #closers: Closer[] = [];

  constructor(options: ClosersOptions) {
    this.#options = options;
  }

  push(what: string, close: Closer['close']): void {
    this.#closers.push({ what, close });
  }

  async closeAll(): Promise<void> {
    for (let closer = this.#closers.pop(); closer !== undefined; closer = this.#closers.pop())
      await this.#close(closer);
  }

  async #close({ what, close }: Closer): Promise<void> {
    const { log, timers = systemTimers } = this.#options;
    const { promise: late, resolve } = Promise.withResolvers<'late'>();
    const cancel = timers.setTimer(CLOSE_MS, () => resolve('late'));
    try {
      const closing = Promise.resolve(close());
      // It may reject after the timeout, when it is no longer awaited.
      closing.catch(() => undefined);
      if ((await Promise.race([closing, late])) === 'late')
        log.error({ what, afterMs: CLOSE_MS }, 'did not end in time');
    } catch (error) {
      log.error({ what, error }, 'did not end well');
    } finally {
      cancel();
    }
  }
}
