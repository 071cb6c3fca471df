import { type FieldError, invalid } from '#lib/apiserver/machinery/field-error.ts';
import { badRequest, failure, plainFailure, type StatusCause, StatusError } from '#lib/apiserver/machinery/status.ts';

/** Creates the error 422 for a JSON patch that cannot be applied. As on the real server, the message does not name the cause. */
export const patchDoesNotApply = (): StatusError =>
  failure({
    code: 422,
    reason: 'Invalid',
    message: 'the server rejected our request due to an error in our request',
    details: {},
  });

/** Creates the error 500 InternalError. */
export const internalFailure = (message: string): StatusError =>
  new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `Internal error occurred: ${message}`,
    reason: 'InternalError',
    // As on the real server, the cause in the details has no reason.
    details: { causes: [{ message } as StatusCause] },
    code: 500,
  });

/** Creates the error 415 for a patch type that built-in kinds do not support. */
export const unsupportedMediaType = (): StatusError =>
  failure({ code: 415, reason: 'UnsupportedMediaType', message: '415: Unsupported Media Type', details: {} });

const CUSTOM_TYPES = 'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml';

/** Creates the error 415 for a patch type that custom resources do not support. */
export const unsupportedCustomType = (): StatusError =>
  failure({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${CUSTOM_TYPES}`,
  });

/** Creates the error 413 for a request that is too large. */
export const tooLarge = (message: string): StatusError =>
  failure({ code: 413, reason: 'RequestEntityTooLarge', message: `Request entity too large: ${message}` });

/**
 * Creates the error 504 for a resource version that is higher than the version of the server.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/storage/errors.go (`NewTooLargeResourceVersionError`)
 */
export const tooLargeResourceVersion = (requested: number | bigint, current: number): StatusError =>
  failure({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${requested}, current: ${current}`,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  });

const invalidOptions = (kind: string, errors: readonly FieldError[]): StatusError =>
  invalid({ group: 'meta.k8s.io', kind, name: '' }, errors);

/** Throws if `errors` is not empty. @throws {StatusError} 422 for the options `kind`, such as `ListOptions` */
export const checkOptions = (kind: string, errors: readonly FieldError[]): void => {
  if (errors.length > 0) throw invalidOptions(kind, errors);
};

const parseProblem = (text: string): string => `strconv.ParseUint: parsing "${text}": invalid syntax`;

/**
 * Parses a resource version; returns 0 when it is absent.
 *
 * @throws {StatusError} the error that `problem` creates, when the text is not a decimal number of at most 20 digits
 */
export const parseResourceVersion = (text: string | undefined, problem: (message: string) => StatusError): number => {
  if (text === undefined || text === '') return 0;
  if (!/^\d{1,20}$/.test(text)) throw problem(parseProblem(text));
  return Number(text);
};

/**
 * Creates the error 500 for a malformed resource version in a watch, or in a get of anything but events. `problem` is the cause.
 */
export const badReadVersion =
  (text: string) =>
  (problem: string): StatusError =>
    plainFailure(`resourceVersion: Invalid value: "${text}": ${problem}`);

/** Creates the error 400 for a malformed resource version in a list, or in a get of events. `problem` is the cause. */
export const badVersion =
  (text: string) =>
  (problem: string): StatusError =>
    badRequest(`invalid resource version: resourceVersion: Invalid value: "${text}": ${problem}`);
