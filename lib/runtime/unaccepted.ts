import { ApiError, type ReconcileError } from '#lib/errors.ts';
import type { Credentials } from '#lib/kube/credentials/authentication.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';
import { adviceFor } from '#lib/loop/source/failure-log.ts';
import type { Logger } from '#lib/telemetry/log.ts';

/** Options of {@link unacceptedTeller}. */
export interface UnacceptedOptions {
  readonly credentials: Pick<Credentials, 'server' | 'source'>;
  readonly log: Pick<Logger, 'error'>;
  readonly timers: Pick<Timers, 'elapsed'>;
}

/** The minimum interval between two log lines, in milliseconds. */
const EVERY_MS = 60_000;

/**
 * Logs at most once a minute that the API server does not accept the credentials (401). The process keeps running, because it
 * reads the credentials again before each attempt.
 *
 * @returns a function to call for every failed watch; it ignores other errors
 */
export const unacceptedTeller = ({ credentials: { server, source }, log, timers }: UnacceptedOptions) => {
  let toldAtMs = -Infinity;
  return (error: ReconcileError): void => {
    if (!(error instanceof ApiError && error.httpStatus === 401) || timers.elapsed() - toldAtMs < EVERY_MS) return;
    toldAtMs = timers.elapsed();
    const fields = { server, credentials: source, advice: adviceFor(error) };
    log.error(fields, 'the API server does not accept the credentials, reading them again');
  };
};
