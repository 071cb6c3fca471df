import { interruption } from '#lib/process/interruption.ts';

/** Ctrl-C ended the demo before its end. */
export class Interrupted extends Error {}

/**
 * Aborts at the first Ctrl-C or SIGTERM, and at the end of the terminal or of a reader.
 *
 * @param onAgain - called at a second Ctrl-C, when nothing is waited for any more, with what the process shall end with
 */
export const untilInterrupted = (onAgain: (code: number) => void): AbortSignal => {
  const reason = new Interrupted('Interrupted: what the demo had started is ended.');
  const { signal, abort } = interruption({ reason, onAgain });
  // A closed pipe, as in `npm start | head`, also triggers the cleanup.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', abort);
  process.on('SIGHUP', abort);
  return signal;
};
