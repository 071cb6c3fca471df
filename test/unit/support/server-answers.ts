import { type ApiError, ConnectionError } from '#lib/errors.ts';
import { errorOfStatus } from '#lib/kube/status-error.ts';
import { failure, forbidden, type StatusError } from '#lib/apiserver/machinery/status.ts';

/** What the client makes of an error of the server. */
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

export const internalError = (message: string): ApiError =>
  answerOf(failure({ code: 500, reason: 'InternalError', message }));

export const connectionLost = (): ConnectionError =>
  new ConnectionError('Cannot create pods: the connection broke before an answer came');
