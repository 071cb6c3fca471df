import { failure, forbidden, type StatusError } from '#lib/apiserver/machinery/status.ts';
import { type ApiError, ConnectionError } from '#lib/errors.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';
import { errorOfAnswer, errorOfStatus } from '#lib/kube/interface/status-error.ts';
import type { FakeRequest } from './fake-api.ts';

/** The client's error for an error of the server. */
export const answerOf = ({ status }: StatusError): ApiError => errorOfStatus('create pods', status);

export const quotaExceeded = (name: string): ApiError =>
  answerOf(
    forbidden(
      { group: '', kind: 'pods', name },
      'exceeded quota: few-pods, requested: pods=1, used: pods=2, limited: pods=2',
    ),
  );

export const tooManyRequests = (retryAfterSeconds: number): ApiError =>
  answerOf(
    failure({
      code: 429,
      reason: 'TooManyRequests',
      message: 'The server is currently unable to handle the request',
      details: { retryAfterSeconds },
    }),
  );

/**
 * The plain text that priority and fairness, and the limit of requests in flight, return (apiserver
 * `filters/maxinflight.go`).
 */
export const serverBusy = (retryAfterSeconds: number): ApiError =>
  errorOfAnswer('create pods', {
    method: 'POST',
    httpStatus: 429,
    body: 'Too many requests, please try again later.\n',
    retryAfter: String(retryAfterSeconds),
    receivedAt: 0,
  });

export const internalError = (message: string): ApiError =>
  answerOf(failure({ code: 500, reason: 'InternalError', message }));

export const connectionLost = (): ConnectionError =>
  new ConnectionError('Cannot create pods: the connection broke before an answer came');

/** The answer to a creation in a namespace that is being deleted. */
export const namespaceTerminating = (namespace: string): ApiError =>
  answerOf(
    failure({
      code: 403,
      reason: 'Forbidden',
      message: `pods "a" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
      details: {
        causes: [
          {
            reason: 'NamespaceTerminating',
            message: `namespace ${namespace} is being terminated`,
            field: 'metadata.namespace',
          },
        ],
      },
    }),
  );

/** Admission that refuses each apply in a namespace, see `FakeApi.mutate`. */
export const refusingIn =
  (namespace: string, refusal: ApiError) =>
  ({ verb }: FakeRequest, body: unknown): unknown => {
    if (verb === 'apply' && (body as KubeObject).metadata?.namespace === namespace) throw refusal;
    return body;
  };
