import { failure, type StatusCause, type StatusError, type Subject } from './status.ts';

/**
 * What is wrong with one field. `message` is the whole text after the path, as in `Invalid value: -1: must be greater than or equal to 0`.
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
  /** Such as `spec.containers[0].name`; `<nil>` for the whole object. */
  readonly field: string;
  readonly message: string;
}

const toCause = ({ reason, field, message }: FieldError): StatusCause => ({ reason, message, field });

const textOf = ({ field, message }: FieldError): string => `${field}: ${message}`;

/**
 * 422 Invalid. The kind in the subject is the kind, not the plural.
 *
 * @see https://github.com/kubernetes/apimachinery/blob/v0.36.4/pkg/api/errors/errors.go (`NewInvalid`)
 */
export const invalid = (subject: Subject, errors: readonly FieldError[]): StatusError => {
  const { group, kind, name } = subject;
  const texts = [...new Set(errors.map(textOf))];
  const said = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
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
