import { ApiError } from '#lib/errors.ts';
import { MalformedStreamError } from './malformed.ts';

/** Tells whether a resource version or a page's continue token is too old for the server; regular, and no cause for alarm. */
export const isExpired = (error: unknown): boolean =>
  error instanceof ApiError && (error.httpStatus === 410 || error.code === 'Expired' || error.code === 'Gone');

/**
 * Tells whether a watch must not go on where it was: the resource version is too old, not accepted (400, 422) or ahead of the
 * server (etcd restored from a backup), or the resource itself is gone (404) and may come back without telling of deletions.
 */
export const needsList = (error: unknown): boolean =>
  isExpired(error) ||
  error instanceof MalformedStreamError ||
  (error instanceof ApiError &&
    ([400, 404, 422].includes(error.httpStatus) ||
      error.causes.some((cause) => cause.reason === 'ResourceVersionTooLarge')));
