import { type ApiError, ConnectionError } from '#lib/errors.ts';
import { errorOfAnswer } from '#lib/kube/status-error.ts';

interface StatusFields {
  readonly code: number;
  readonly reason?: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** An answer with a `Status` body, as a kube-apiserver sends it. */
export const statusAnswer = ({ code, ...fields }: StatusFields, request = 'create pods', method = 'POST'): ApiError => {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', ...fields, code };
  return errorOfAnswer(request, { method, httpStatus: code, body: JSON.stringify(status), receivedAt: 0 });
};

export const notFound = (plural: string, name: string): ApiError =>
  statusAnswer({
    code: 404,
    reason: 'NotFound',
    message: `${plural} "${name}" not found`,
    details: { name, kind: plural },
  });

export const alreadyExists = (plural: string, name: string): ApiError =>
  statusAnswer({
    code: 409,
    reason: 'AlreadyExists',
    message: `${plural} "${name}" already exists`,
    details: { name, kind: plural },
  });

export const conflict = (plural: string, name: string, why: string): ApiError =>
  statusAnswer({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${plural} "${name}": ${why}`,
    details: { name, kind: plural },
  });

export const quotaExceeded = (name: string): ApiError =>
  statusAnswer({
    code: 403,
    reason: 'Forbidden',
    message: `pods "${name}" is forbidden: exceeded quota: few-pods, requested: pods=1, used: pods=2, limited: pods=2`,
    details: { name, kind: 'pods' },
  });

export const tooManyRequests = (retryAfterSeconds: number): ApiError =>
  statusAnswer({
    code: 429,
    reason: 'TooManyRequests',
    message: 'The server is currently unable to handle the request',
    details: { retryAfterSeconds },
  });

export const connectionLost = (): ConnectionError =>
  new ConnectionError('Cannot create pods: the connection broke before an answer came');
