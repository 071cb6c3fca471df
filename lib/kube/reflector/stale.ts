import { ApiError, ConnectionError } from '#lib/errors.ts';
import { MalformedStreamError, TooLargeError } from '#lib/kube/transport/malformed.ts';

/** Whether a resource version or a continue token is too old for the server. Such an error is normal. */
export const isExpired = (error: unknown): boolean =>
  error instanceof ApiError && (error.httpStatus === 410 || error.code === 'Expired' || error.code === 'Gone');

/**
 * Whether a watch cannot resume at its last version. True if the version is too old, not accepted (400, 422) or ahead of the
 * server (etcd restored from a backup). Also true for an unreadable stream. True if the resource is not served (404), because
 * the resource may be served again later without deletion events.
 */
export const needsList = (error: unknown): boolean =>
  isExpired(error) ||
  error instanceof MalformedStreamError ||
  (error instanceof ApiError &&
    ([400, 404, 422].includes(error.httpStatus) ||
      error.causes.some((cause) => cause.reason === 'ResourceVersionTooLarge')));

/** Whether a retry of the same request may succeed soon: no response came, or the server is busy or failing. */
export const isPassing = (error: unknown): boolean =>
  error instanceof ApiError
    ? error.httpStatus === 429 || error.httpStatus >= 500
    : error instanceof ConnectionError && !(error instanceof MalformedStreamError) && !(error instanceof TooLargeError);
