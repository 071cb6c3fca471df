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
 * Advice in the log about a request that the API server refused.
 *
 * @returns one sentence; `undefined` when the error suffices, as when the server could not be reached
 */
export const adviceFor = (error: ReconcileError): string | undefined =>
  error instanceof ApiError ? adviceByStatus[error.httpStatus] : undefined;

/** Which watch failed. */
export interface FailedWatch {
  readonly resource: string;
  readonly namespace?: string;
}

/** A failure of a watch, and its trouble as it stands now. */
export interface WatchFailure {
  readonly error: ReconcileError;
  readonly retryInMs: number;
  readonly trouble: Trouble | undefined;
  /** By `Timers.elapsed`. */
  readonly nowMs: number;
}

/**
 * The milliseconds after which an answer of the API server is no part of a start any more: it initializes the storage of a new
 * definition (429), does not serve it yet (404), or has not read a new binding yet (403).
 *
 * @see https://github.com/kubernetes/kubernetes/blob/v1.36.4/staging/src/k8s.io/apiserver/pkg/storage/cacher/ready.go ("storage is (re)initializing")
 */
const STARTING_MS = 30_000;

/** One warning for a trouble that may pass by itself, whatever the number of its tries, then errors. */
const levelOf = ({ error, trouble, nowMs }: WatchFailure): 'debug' | 'warn' | 'error' => {
  // All watches meet it; another line reports it once.
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

  /** Refused, and the loop can do without it. Rights may come any time, so it is tried for ever; logged once. */
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
