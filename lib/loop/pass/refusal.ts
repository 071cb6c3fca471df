import type { RefusalReason } from '#lib/desired/observation.ts';
import { ApiError } from '#lib/errors.ts';

/** Admission webhooks and policies have no reason of their own; their sentence is fixed (apiserver `webhook/errors/statuserror.go`, `policy/validating/caller`). */
const denied = /denied (the )?request|violates PodSecurity/;

/** Quota answers 403 without a reason of its own, in three sentences (apiserver `resourcequota/controller.go`, CheckRequest). */
const quotaExceeded = /exceeded quota|failed quota|insufficient quota/;

const reasonOfApiError = ({ code, httpStatus, causes, serverMessage }: ApiError): RefusalReason => {
  if (causes.some((cause) => cause.reason === 'NamespaceTerminating')) return 'NamespaceTerminating';
  if (httpStatus >= 500 || httpStatus === 429) return 'Unavailable';
  if (quotaExceeded.test(serverMessage)) return 'QuotaExceeded';
  if (denied.test(serverMessage)) return 'AdmissionDenied';
  if (httpStatus === 401 || httpStatus === 403) return 'Forbidden';
  if (code === 'AlreadyExists') return 'NameConflict';
  if (httpStatus === 409)
    return causes.some(({ reason }) => reason === 'FieldManagerConflict') ? 'FieldConflict' : 'Unavailable';
  return httpStatus === 400 || httpStatus === 422 ? 'Invalid' : 'Unavailable';
};

/**
 * Why a write was refused, in the words that kinds see.
 *
 * @param error - what the write was answered with; anything but an answer of the API server counts as `Unavailable`
 */
export const refusalReasonOf = (error: unknown): RefusalReason =>
  error instanceof ApiError ? reasonOfApiError(error) : 'Unavailable';
