import { systemTimers, type Timers } from '#lib/kube/interface/timers.ts';
import type { Logger } from '#lib/telemetry/log.ts';

/** A part of the process that must be closed before the process ends. */
export interface Closer {
  /** The name of the part, for the log. */
  readonly what: string;
  readonly close: () => unknown;
}

/** The time limit for closing one part, in milliseconds. */
const CLOSE_MS = 5000;
/**
 * The time limit for closing all parts, in milliseconds. The process closes two groups of parts, so it ends within the grace
 * period of its pod, 40 s.
 */
const CLOSE_ALL_MS = 15_000;

/** Options of {@link Closers}. */
export interface ClosersOptions {
  readonly log: Pick<Logger, 'error'>;
  /** The timers of the time limits. @default the timers of the process */
  readonly timers?: Timers;
}

/**
 * Closes the parts of a process in the reverse of the order in which they were added.
 *
 * Guarantees: each part is closed once. The next part follows after the close function has ended, has failed, or has taken
 * five seconds. After 15 seconds, `closeAll` waits for no part any more. `closeAll` never rejects.
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
    const { timers = systemTimers } = this.#options;
    const endMs = timers.elapsed() + CLOSE_ALL_MS;
    for (let closer = this.#closers.pop(); closer !== undefined; closer = this.#closers.pop())
      await this.#close(closer, Math.max(0, Math.min(CLOSE_MS, endMs - timers.elapsed())));
  }

  async #close({ what, close }: Closer, limitMs: number): Promise<void> {
    const { log, timers = systemTimers } = this.#options;
    const { promise: late, resolve } = Promise.withResolvers<'late'>();
    const cancel = timers.setTimer(limitMs, () => resolve('late'));
    try {
      const closing = Promise.resolve(close());
      // The promise may reject after the timeout.
      closing.catch(() => undefined);
      if ((await Promise.race([closing, late])) === 'late')
        log.error({ what, afterMs: limitMs }, 'did not end in time');
    } catch (error) {
      log.error({ what, error }, 'did not end well');
    } finally {
      cancel();
    }
  }
}
