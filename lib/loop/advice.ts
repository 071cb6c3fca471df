import { ApiError, type ReconcileError } from '#lib/errors.ts';

const adviceByStatus: Readonly<Record<number, string>> = {
  401: 'the credentials are not accepted: renew the token or the kubeconfig',
  403: 'a right is missing: apply the ClusterRole and the binding of the install bundle',
  404: 'the resource is not served: apply the CustomResourceDefinition of the install bundle',
  429: 'the API server is busy: nothing to do, it is tried again',
};

/**
 * What somebody who reads the log can do about a request that the API server refused.
 *
 * @returns one sentence; `undefined` when the error says it all, as it does when the server could not be reached
 */
export const adviceFor = (error: ReconcileError): string | undefined =>
  error instanceof ApiError ? adviceByStatus[error.httpStatus] : undefined;
