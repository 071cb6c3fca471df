import { ApiError, type StatusDetails } from '#lib/errors.ts';
import { asText, isRecord } from './json.ts';

/** A response with a status code of 400 or more. */
export interface ErrorAnswer {
  readonly method: string;
  readonly httpStatus: number;
  readonly body: string;
  /** The `Retry-After` header: seconds, or an HTTP date. */
  readonly retryAfter?: string | undefined;
  /** The time of the response in epoch milliseconds. A `Retry-After` that is a date is compared with it. */
  readonly receivedAt: number;
}

/** Reasons for responses without a `Status` body, as in NewGenericServerResponse of apimachinery's pkg/api/errors/errors.go. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/**
 * The longest part of a body without a `Status` that a message contains, in characters. Such a body is often an HTML page of a
 * proxy, with little information after its beginning.
 */
const SHOWN_BODY_LENGTH = 200;

/** The longest accepted `Retry-After`, in milliseconds. A page about planned maintenance may request a much longer delay. */
const MAX_RETRY_AFTER_MS = 300_000;

type Cause = NonNullable<StatusDetails['causes']>[number];

const genericReason = (httpStatus: number, method?: string): string =>
  httpStatus === 409 && method === 'POST' ? 'AlreadyExists' : (REASONS[httpStatus] ?? `Http${httpStatus}`);

const parseStatus = (body: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(body);
    return isRecord(value) && value['kind'] === 'Status' ? value : undefined;
  } catch {
    return undefined;
  }
};

const summary = (body: string): string => {
  const text = body
    .replaceAll(/<(style|script)\b[\s\S]*?(?:<\/\1>|$)|<[^<>]*>/gi, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (text === '') return 'the answer has no body';
  return text.length > SHOWN_BODY_LENGTH ? `${text.slice(0, SHOWN_BODY_LENGTH)}…` : text;
};

const retryAfterMs = (header: string | undefined, receivedAt: number): number | undefined => {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Math.min(Number(header) * 1000, MAX_RETRY_AFTER_MS);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - receivedAt), MAX_RETRY_AFTER_MS);
};

const toCause = (cause: Record<string, unknown>): Cause => {
  const [reason, message, field] = [asText(cause['reason']), asText(cause['message']), asText(cause['field'])];
  return { ...(reason && { reason }), ...(message && { message }), ...(field && { field }) };
};

const causesOf = (details: Record<string, unknown>): readonly Cause[] => {
  const causes: unknown[] = Array.isArray(details['causes']) ? details['causes'] : [];
  return causes.filter(isRecord).map(toCause);
};

const subjectOf = (details: Record<string, unknown>): Pick<StatusDetails, 'subject'> => {
  const [name, kind] = [asText(details['name']), asText(details['kind'])];
  return name ? { subject: { name, ...(kind && { kind }) } } : {};
};

const toDetails = (status: Record<string, unknown>, httpStatus: number, method?: string): StatusDetails => {
  const details = isRecord(status['details']) ? status['details'] : {};
  const seconds = details['retryAfterSeconds'];
  return {
    httpStatus,
    reason: asText(status['reason']) ?? genericReason(httpStatus, method),
    message: asText(status['message']) ?? 'the server gave no message',
    causes: causesOf(details),
    ...subjectOf(details),
    ...(typeof seconds === 'number' && seconds > 0 && { retryAfterMs: Math.min(seconds * 1000, MAX_RETRY_AFTER_MS) }),
  };
};

/**
 * Makes an error from the `Status` of a response. Without a `Status`, as in the HTML of a load balancer, the error has the
 * status code and the start of the text.
 *
 * @param request - the request, such as `list pods`; it starts the message
 */
export const errorOfAnswer = (request: string, answer: ErrorAnswer): ApiError => {
  const { method, httpStatus, body } = answer;
  const status = parseStatus(body);
  const details = status
    ? toDetails(status, httpStatus, method)
    : { httpStatus, reason: genericReason(httpStatus, method), message: summary(body) };
  const wait = retryAfterMs(answer.retryAfter, answer.receivedAt);
  return new ApiError(request, wait === undefined ? details : { ...details, retryAfterMs: wait });
};

/**
 * Makes an error from a `Status` object without its response. The HTTP status of the error is the `code` of the object, or 500
 * without a code.
 *
 * @param request - the request, such as `watch pods`; it starts the message
 */
export const errorOfStatus = (request: string, status: unknown): ApiError => {
  const object = isRecord(status) ? status : {};
  const code = object['code'];
  return new ApiError(request, toDetails(object, typeof code === 'number' ? code : 500));
};
