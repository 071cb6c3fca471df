import { ApiError, type ReconcileError } from '#lib/errors.ts';
import type { Logger } from '#lib/telemetry/log.ts';

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

  failed(watch: FailedWatch, error: ReconcileError, retryInMs: number): void {
    const fields = { ...watch, error, advice: adviceFor(error), retryInMs: Math.round(retryInMs) };
    // All watches meet it; another line reports it once.
    const isUnaccepted = error instanceof ApiError && error.httpStatus === 401;
    this.#log[isUnaccepted ? 'debug' : 'error'](fields, 'watch failed, trying again');
  }
}
