import type { JsonObject } from '#lib/json.ts';

/** A cause in the details of a `Status`, which usually concerns one field. */
export interface StatusCause {
  /** The reason of the cause, such as `FieldValueInvalid`, `FieldValueRequired` or `FieldManagerConflict`. */
  readonly reason: string;
  readonly message: string;
  /** The field; absent in causes that concern no field, such as `ResourceVersionTooLarge`. */
  readonly field?: string;
}

/** The body of a response that reports the result of a request. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: JsonObject;
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly uid?: string;
    readonly causes?: readonly StatusCause[];
    readonly retryAfterSeconds?: number;
  };
  readonly code?: number;
}

/** The error of a request that fails. The response is the `Status` of the error. */
export class StatusError extends Error {
  readonly status: Status;

  constructor(status: Status) {
    super(status.message);
    this.name = 'StatusError';
    this.status = status;
  }
}

/** The object of an error, in messages such as `podsets.app.example.com "web"`. */
export interface Subject {
  readonly group: string;
  /** The plural in most errors; the kind in some errors, such as those with the reason `Invalid`. */
  readonly kind: string;
  readonly name: string;
}

interface Failure {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: Status['details'];
}

/** Builds an error from the members of its `Status`. */
export const failure = ({ code, reason, message, details }: Failure): StatusError =>
  new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(details && { details }),
    code,
  });

/** Creates the error 404 for an API path that is not served. */
export const noSuchResource = (): StatusError =>
  failure({ code: 404, reason: 'NotFound', message: 'the server could not find the requested resource', details: {} });

/** Creates the error 405 for a path that is served, but not with this verb or method. */
export const noSuchVerb = (): StatusError =>
  failure({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
    details: {},
  });

const NOT_IMPLEMENTED = 501;

/** Whether an error is the 501 error of a feature that this server does not support. */
export const isNotImplemented = (error: unknown): error is StatusError =>
  error instanceof StatusError && error.status.code === NOT_IMPLEMENTED;

/**
 * Calls `ask`, and returns its result. If `ask` throws a 501 error, returns `otherwise`, because this server cannot check a
 * feature that it does not support.
 */
export const unlessNotImplemented = <T>(otherwise: T, ask: () => T): T => {
  try {
    return ask();
  } catch (error) {
    if (isNotImplemented(error)) return otherwise;
    throw error;
  }
};

const qualified = ({ group, kind }: Subject): string => (group === '' ? kind : `${kind}.${group}`);

const detailsOf = ({ group, kind, name }: Subject, more: NonNullable<Status['details']> = {}): Status['details'] => ({
  ...(name !== '' && { name }),
  ...(group !== '' && { group }),
  ...(kind !== '' && { kind }),
  ...more,
});

/** Creates the error 404 NotFound. @see k8s.io/apimachinery v0.36.4 pkg/api/errors/errors.go (`NewNotFound`) */
export const notFound = (subject: Subject): StatusError =>
  failure({
    code: 404,
    reason: 'NotFound',
    message: `${qualified(subject)} "${subject.name}" not found`,
    details: detailsOf(subject),
  });

/** Creates the error 409 AlreadyExists. */
export const alreadyExists = (subject: Subject): StatusError =>
  failure({
    code: 409,
    reason: 'AlreadyExists',
    message: `${qualified(subject)} "${subject.name}" already exists`,
    details: detailsOf(subject),
  });

/** Creates the error 409 Conflict: the object is not in the state that the request requires. */
export const conflict = (subject: Subject, why: string): StatusError =>
  failure({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${qualified(subject)} "${subject.name}": ${why}`,
    details: detailsOf(subject),
  });

/** Creates the error 400 BadRequest. */
export const badRequest = (message: string): StatusError => failure({ code: 400, reason: 'BadRequest', message });

/** Creates the error 403 Forbidden. */
export const forbidden = (subject: Subject, why: string, causes: readonly StatusCause[] = []): StatusError =>
  failure({
    code: 403,
    reason: 'Forbidden',
    message: `${qualified(subject)} "${subject.name}" is forbidden: ${why}`,
    details: detailsOf(subject, causes.length > 0 ? { causes } : {}),
  });

/** Creates the error 405 MethodNotAllowed. */
export const methodNotAllowed = (subject: Omit<Subject, 'name'>, verb: string): StatusError =>
  failure({
    code: 405,
    reason: 'MethodNotAllowed',
    message: `${verb} is not supported on resources of kind "${qualified({ ...subject, name: '' })}"`,
    details: detailsOf({ ...subject, name: '' }),
  });

/** Creates the error 410 Expired: a resource version or a page token is too old. */
export const expired = (message: string): StatusError => failure({ code: 410, reason: 'Expired', message });

/** Creates the error 500 without a reason. The real server returns such an error where it passes an internal error to clients. */
export const plainFailure = (message: string): StatusError =>
  new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });

/**
 * Creates the error 501 for a feature that the real API server has and this server does not support. The message names the
 * feature.
 */
export const notImplemented = (what: string): StatusError =>
  failure({
    code: 501,
    reason: 'NotImplemented',
    message: `the virtual cluster does not implement ${what}; see docs/virtual-cluster.md for what it does`,
  });
