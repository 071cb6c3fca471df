/** Ctrl-C ended the demo before its end. */
export class Interrupted extends Error {}

/** A terminal and npm both pass one Ctrl-C on: what comes so soon after the first, in milliseconds, is no second one. */
const ECHO_MS = 1000;

/**
 * Aborts at the first Ctrl-C, SIGTERM, or end of the terminal or of a reader. Signals of the same second count as one.
 *
 * @param onAgain - called at a second Ctrl-C, when nothing is waited for any more
 */
export const interruption = (onAgain: () => void): AbortSignal => {
  const controller = new AbortController();
  let firstAt: number | undefined;
  const interrupt = (): void => {
    firstAt ??= performance.now();
    controller.abort(new Interrupted('Interrupted: what the demo had started is ended.'));
  };
  // `npm start | head`: nobody reads on, and what was created must go all the same.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', interrupt);
  process.on('SIGHUP', interrupt);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (firstAt !== undefined && performance.now() - firstAt > ECHO_MS) onAgain();
      else interrupt();
    });
  }
  return controller.signal;
};
