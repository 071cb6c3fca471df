import type { Refusal, RefusalReason } from '#lib/desired/observation.ts';
import { ApiError, NotSentError } from '#lib/errors.ts';
import { slot } from '#lib/loop/context/memory.ts';

/** The refusals that still apply, from the last pass or an earlier one. */
export const refusedSlot = slot<readonly Refusal[]>('refused', { empty: [], inspect: (refused) => refused });

/**
 * The messages of a refusal by an admission webhook or policy, which has no reason code (apiserver
 * `webhook/errors/statuserror.go`, `policy/validating/caller`).
 */
const denied = /denied (the )?request|violates PodSecurity/;

/**
 * The messages of a refusal by a quota. The response has the status 403 and no reason code (apiserver
 * `resourcequota/controller.go`, CheckRequest).
 */
const quotaExceeded = /exceeded quota|failed quota|insufficient quota|status unknown for quota/;

/**
 * The messages of failed authorization (apiserver `responsewriters/errors.go`, `rbac/helpers.go`, `gc/gc_admission.go`). All
 * other messages of the form `… is forbidden: …` come from admission plugins, such as LimitRanger, ServiceAccount and Priority.
 */
const noRight = /User "[^"]*" cannot |attempting to grant RBAC permissions|cannot set blockOwnerDeletion/;
const fromAdmission = /is forbidden: /;

/**
 * The messages of responses with status 500 that a retry with the same object would get again: the apply does not fit the schema,
 * or the object is over the size limit of etcd.
 */
const hopeless = /failed to create typed patch object|request is too large|message larger than max/;

/** The message of the 404 for a write into a namespace that no longer exists. */
const namespaceGone = /^namespaces ".*" not found$/;

const isNamespaceGone = ({ httpStatus, causes, serverMessage }: ApiError): boolean =>
  causes.some((cause) => cause.reason === 'NamespaceTerminating') ||
  (httpStatus === 404 && namespaceGone.test(serverMessage));

/**
 * The message when the API server could not call a webhook with `failurePolicy: Fail` (apiserver `plugin/webhook/errors`,
 * `util/webhook/error.go`).
 */
const failedWebhook = /failed calling webhook "([^"]+)"/;

/**
 * The name of the admission webhook that the API server could not call, or that gave an invalid response; undefined otherwise.
 */
export const failedWebhookOf = (error: unknown): string | undefined =>
  error instanceof ApiError && error.httpStatus >= 500 ? failedWebhook.exec(error.serverMessage)?.[1] : undefined;

/** The reason of a refusal, from the message, or from a status of 429 or at least 500; undefined if neither shows a reason. */
const reasonOfSentence = ({ httpStatus, serverMessage }: ApiError): RefusalReason | undefined => {
  if (hopeless.test(serverMessage)) return 'Invalid';
  if (httpStatus >= 500 || httpStatus === 429) return 'Unavailable';
  if (quotaExceeded.test(serverMessage)) return 'QuotaExceeded';
  return denied.test(serverMessage) ? 'AdmissionDenied' : undefined;
};

const invalid: ReadonlySet<number> = new Set([400, 405, 406, 413, 415, 422]);

const reasonOfCode = ({ code, httpStatus, causes, serverMessage }: ApiError): RefusalReason => {
  if (httpStatus === 401) return 'Forbidden';
  if (httpStatus === 403)
    return fromAdmission.test(serverMessage) && !noRight.test(serverMessage) ? 'AdmissionDenied' : 'Forbidden';
  if (code === 'AlreadyExists') return 'NameConflict';
  if (httpStatus === 409)
    return causes.some(({ reason }) => reason === 'FieldManagerConflict') ? 'FieldConflict' : 'Unavailable';
  return invalid.has(httpStatus) ? 'Invalid' : 'Unavailable';
};

/**
 * The reason of a refused or failed write.
 *
 * @param error - the error of the write; an error other than an `ApiError` counts as `Unavailable`
 */
export const refusalReasonOf = (error: unknown): RefusalReason => {
  if (!(error instanceof ApiError)) return 'Unavailable';
  if (isNamespaceGone(error)) return 'NamespaceTerminating';
  if (failedWebhookOf(error) !== undefined) return 'WebhookFailed';
  return reasonOfSentence(error) ?? reasonOfCode(error);
};

/** The messages of responses with status 500 or more from admission, which runs before the object is stored. */
const beforeStorage = /failed calling webhook|denied (the )?request/;

/**
 * Whether a failed write may have succeeded: the request had no response, or a response that does not show the stored state,
 * such as 504 and "etcdserver: request timed out".
 */
export const isDoubtful = (error: unknown): boolean => {
  if (!(error instanceof ApiError)) return !(error instanceof NotSentError);
  const { httpStatus, serverMessage } = error;
  return httpStatus >= 500 && !hopeless.test(serverMessage) && !beforeStorage.test(serverMessage);
};

/**
 * The messages of the API server for an immutable field (validation of pods, workloads, claims, services, roles; CEL rules of
 * custom kinds).
 */
const immutable =
  /immutable|may not (be )?change|cannot (be )?change|may not be (updated|modified)|updates to (?:(?!updates to ).)*? are forbidden/i;

/**
 * The immutable fields that the API server names in a refusal; sorted. Empty for any other refusal. An immutable uid does not
 * count: in that case another object has the name.
 */
export const immutableFieldsOf = (error: unknown): readonly string[] => {
  if (!(error instanceof ApiError) || error.httpStatus !== 422) return [];
  const fields = error.causes
    .filter(({ message = '', field }) => field !== 'metadata.uid' && immutable.test(message))
    .map(({ field = '' }) => field);
  return [...new Set(fields)].toSorted();
};
