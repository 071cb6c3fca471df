import { failure, type StatusCause, type StatusError, type Subject } from './status.ts';
import { aggregateText, goQuote, goValue } from './text/go-text.ts';

/**
 * An error of one field. `message` is the text after the path, as in `Invalid value: -1: must be greater than or equal to 0`.
 *
 * @see https://github.com/kubernetes/apimachinery/blob/v0.36.4/pkg/util/validation/field/errors.go
 */
export interface FieldError {
  readonly reason:
    | 'FieldValueRequired'
    | 'FieldValueInvalid'
    | 'FieldValueNotSupported'
    | 'FieldValueForbidden'
    | 'FieldValueDuplicate'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany'
    | 'FieldValueTypeInvalid'
    | 'FieldValueNotFound'
    | 'InternalError';
  /** A path such as `spec.containers[0].name`; `<nil>` for the whole object. */
  readonly field: string;
  readonly message: string;
}

/**
 * The path of a field; '' for the whole object.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/util/validation/field/path.go
 */
export type FieldPath = string;

/** Appends a member to a path: `spec` and `replicas` to `spec.replicas`. */
export const memberPath = (path: FieldPath, name: string): FieldPath => (path === '' ? name : `${path}.${name}`);

/** Appends a list index or a map key to a path: `spec.ports[0]`, `metadata.labels[app]`. */
export const keyPath = (path: FieldPath, key: string | number): FieldPath => `${path}[${key}]`;

const withDetail = (what: string, detail: string): string => (detail === '' ? what : `${what}: ${detail}`);

const fieldError = (reason: FieldError['reason'], path: FieldPath, message: string): FieldError => ({
  reason,
  field: path === '' ? '<nil>' : path,
  message,
});

/** Creates the error `Required value`. */
export const required = (path: FieldPath, detail = ''): FieldError =>
  fieldError('FieldValueRequired', path, withDetail('Required value', detail));

/** A marker for a value that the message omits. */
export const omitted = Symbol('omitted value');

const shown = (what: string, value: unknown): string => (value === omitted ? what : `${what}: ${goValue(value)}`);

/** Creates the error `Invalid value: …`. */
export const invalidValue = (path: FieldPath, value: unknown, detail: string): FieldError =>
  fieldError('FieldValueInvalid', path, withDetail(shown('Invalid value', value), detail));

/** Creates the error `Invalid value: …` for a value of the wrong type. */
export const typeInvalid = (path: FieldPath, value: unknown, detail: string): FieldError => ({
  ...invalidValue(path, value, detail),
  reason: 'FieldValueTypeInvalid',
});

/** Creates the error `Unsupported value: …: supported values: "a", "b"`. */
export const notSupported = (path: FieldPath, value: unknown, supported: readonly string[]): FieldError =>
  fieldError(
    'FieldValueNotSupported',
    path,
    withDetail(
      shown('Unsupported value', value),
      supported.length === 0 ? '' : `supported values: ${supported.map(goQuote).join(', ')}`,
    ),
  );

/** Creates the error `Forbidden: …`. */
export const forbiddenField = (path: FieldPath, detail: string): FieldError =>
  fieldError('FieldValueForbidden', path, withDetail('Forbidden', detail));

/** Creates the error `Duplicate value: …`. */
export const duplicate = (path: FieldPath, value: unknown): FieldError =>
  fieldError('FieldValueDuplicate', path, shown('Duplicate value', value));

/** Creates the error `Too long: may not be more than 3 bytes`, with the given limit in place of 3. */
export const tooLong = (path: FieldPath, limit: number): FieldError =>
  fieldError('FieldValueTooLong', path, `Too long: may not be more than ${limit} ${limit === 1 ? 'byte' : 'bytes'}`);

/** Creates the error `Too many: 3: must have at most 2 items`, with the given numbers. */
export const tooMany = (path: FieldPath, actual: number, limit: number): FieldError =>
  fieldError(
    'FieldValueTooMany',
    path,
    `Too many: ${actual}: must have at most ${limit} ${limit === 1 ? 'item' : 'items'}`,
  );

/** Creates the error `Not found: …`. */
export const notFoundField = (path: FieldPath, value: unknown): FieldError =>
  fieldError('FieldValueNotFound', path, shown('Not found', value));

/** Creates the error `Internal error: …`. */
export const internalError = (path: FieldPath, detail: string): FieldError =>
  fieldError('InternalError', path, withDetail('Internal error', detail));

const toCause = ({ reason, field, message }: FieldError): StatusCause => ({ reason, message, field });

const fieldErrorText = ({ field, message }: FieldError): string => `${field}: ${message}`;

/**
 * Creates the error 422 Invalid. Unlike most errors, this error contains the kind of the object, and not the plural.
 *
 * @see https://github.com/kubernetes/apimachinery/blob/v0.36.4/pkg/api/errors/errors.go (`NewInvalid`)
 */
export const invalid = (subject: Subject, errors: readonly FieldError[]): StatusError => {
  const { group, kind, name } = subject;
  const said = aggregateText(errors.map(fieldErrorText));
  return failure({
    code: 422,
    reason: 'Invalid',
    message: `${group === '' ? kind : `${kind}.${group}`} "${name}" is invalid: ${said}`,
    details: {
      ...(name !== '' && { name }),
      ...(group !== '' && { group }),
      ...(kind !== '' && { kind }),
      causes: errors.map(toCause),
    },
  });
};
