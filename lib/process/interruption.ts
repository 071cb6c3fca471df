import { constants } from 'node:os';

/**
 * Time after the first signal during which further signals count as the same Ctrl-C, in milliseconds. On Ctrl-C, the terminal
 * signals all processes in the foreground, and npm signals its command again. The limit is long because npm is slow on a busy
 * machine. https://github.com/npm/run-script/blob/main/lib/signal-manager.js
 */
const SAME_MS = 1000;

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** An interruption by Ctrl-C or SIGTERM. */
export interface Interruption {
  /** Aborted at the first Ctrl-C or SIGTERM, or by `abort`. */
  readonly signal: AbortSignal;
  /**
   * Requests the end without a signal, because the reader of the output or the terminal has closed. A Ctrl-C after this call
   * counts as the first Ctrl-C.
   */
  readonly abort: () => void;
  /**
   * Restores the default signal handling while code runs that may block this thread forever. During this time, a Ctrl-C ends the
   * process at once, unless the process has other listeners of the signal.
   *
   * @param work - the code to run
   * @returns the result of the code
   */
  readonly leaveToSystem: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/** The handlers of an interruption. */
export interface InterruptionOptions {
  /** The reason of the abort. @default an `AbortError` */
  readonly reason?: Error;
  /**
   * Called for each signal that arrives more than one second after the first signal.
   *
   * @param code - the exit code of a process that this signal ends: 130 or 143
   */
  readonly onAgain: (code: number) => void;
}

/**
 * Handles Ctrl-C and SIGTERM from now on. The first signal aborts `signal`. Each signal more than one second after the first
 * calls `onAgain`.
 *
 * @example
 * const { signal } = interruption({ onAgain: (code) => process.exit(code) });
 */
export const interruption = ({ reason, onAgain }: InterruptionOptions): Interruption => {
  const controller = new AbortController();
  const abort = (): void => controller.abort(reason);
  let firstAt: number | undefined;
  const listener = (signal: (typeof SIGNALS)[number]): void => {
    if (firstAt !== undefined && performance.now() - firstAt > SAME_MS) onAgain(128 + constants.signals[signal]);
    firstAt ??= performance.now();
    abort();
  };
  const listen = (): void => SIGNALS.forEach((signal) => process.on(signal, listener));
  // Without a listener, the system ends the process; https://nodejs.org/api/process.html#signal-events
  const ignore = (): void => SIGNALS.forEach((signal) => process.off(signal, listener));
  const leaveToSystem = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    ignore();
    try {
      return await work();
    } finally {
      listen();
    }
  };
  listen();
  return { signal: controller.signal, abort, leaveToSystem };
};
