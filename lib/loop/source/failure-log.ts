import { ApiError, type ReconcileError } from '#lib/errors.ts';
import type { Logger } from '#lib/telemetry/log.ts';
import type { Trouble } from './standing.ts';

const adviceByStatus: Readonly<Record<number, string>> = {
  401: 'the credentials are not accepted: renew the token or the kubeconfig',
  403: 'a right is missing: apply the ClusterRole and the binding of the install bundle',
  404: 'the resource is not served: apply the CustomResourceDefinition of the install bundle',
  429: 'the API server is busy: no action is necessary, the request is retried',
};

/**
 * Advice for the log, about a request that the API server refused.
 *
 * @returns one sentence; `undefined` for an error other than a 401, 403, 404 or 429
 */
export const adviceFor = (error: ReconcileError): string | undefined =>
  error instanceof ApiError ? adviceByStatus[error.httpStatus] : undefined;

/** The resource and the namespace of a failed watch. */
export interface FailedWatch {
  readonly resource: string;
  readonly namespace?: string;
}

/** A failure of a watch. `trouble`: the series of failures to which it belongs; undefined if the watch only broke off. */
export interface WatchFailure {
  readonly error: ReconcileError;
  readonly retryInMs: number;
  readonly trouble: Trouble | undefined;
  /** The current time by `Timers.elapsed`. */
  readonly nowMs: number;
}

/**
 * The time within which some errors are a normal part of a start, in milliseconds. The API server may still initialize the
 * storage of a new CRD (429), not serve the CRD yet (404), or not have read a new role binding yet (403).
 *
 * @see https://github.com/kubernetes/kubernetes/blob/v1.36.4/staging/src/k8s.io/apiserver/pkg/storage/cacher/ready.go ("storage
 *   is (re)initializing")
 */
const STARTING_MS = 30_000;

/**
 * The log level of a failure. A 401 has the level `debug`. Other failures with a local cause, and watches that broke off, are
 * errors. For other causes, the first failure is a warning, failures after thirty seconds are errors, and failures between have
 * the level `debug`.
 */
const levelOf = ({ error, trouble, nowMs }: WatchFailure): 'debug' | 'warn' | 'error' => {
  // Invalid credentials affect all watches, and are logged once elsewhere.
  if (error instanceof ApiError && error.httpStatus === 401) return 'debug';
  if (trouble === undefined || trouble.cause === 'local') return 'error';
  const lastsMs = nowMs - trouble.sinceMs;
  if (lastsMs >= STARTING_MS) return 'error';
  return lastsMs === 0 ? 'warn' : 'debug';
};

/** Logs the failures of the watches of one resource. */
export class FailureLog {
  readonly #log: Logger;
  #hasToldOfLack = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Logs once that a watch of an optional resource was refused. */
  lacks({ resource }: FailedWatch, error: ReconcileError): void {
    if (this.#hasToldOfLack) return;
    this.#hasToldOfLack = true;
    this.#log.warn({ resource, error, advice: adviceFor(error) }, 'watch refused, going on without it');
  }

  failed(watch: FailedWatch, failure: WatchFailure): void {
    const { error, retryInMs } = failure;
    const fields = { ...watch, error, advice: adviceFor(error), retryInMs: Math.round(retryInMs) };
    this.#log[levelOf(failure)](fields, 'watch failed, trying again');
  }
}
