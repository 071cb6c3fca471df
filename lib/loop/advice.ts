import { ApiError, ConnectionError, type ReconcileError } from '#lib/errors.ts';

const adviceByStatus: Readonly<Record<number, string>> = {
  401: 'the credentials are not accepted: renew the token or the kubeconfig',
  403: 'a right is missing: apply the ClusterRole and the binding of the install bundle',
  404: 'the resource is not served: apply the CustomResourceDefinition of the install bundle',
  429: 'the API server is busy: nothing to do, it is tried again',
};

/**
 * What somebody who reads the log can do about a request that failed.
 *
 * @returns one sentence; `undefined` when the error says it all
 */
export const adviceFor = (error: ReconcileError): string | undefined => {
  if (error instanceof ApiError) return adviceByStatus[error.httpStatus];
  return error instanceof ConnectionError ? 'check that the API server runs and can be reached from here' : undefined;
};
