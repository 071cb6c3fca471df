import type { FieldError } from '#lib/sim/machinery/field-error.ts';
import { goQuote, goValue } from '#lib/sim/machinery/go-text.ts';

/**
 * The path of a field in an error, and what is wrong there. Messages are those of apimachinery.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/util/validation/field/errors.go
 */
export type FieldPath = string;

/** The path of a member: `spec` and `replicas` to `spec.replicas`. */
export const childOf = (path: FieldPath, name: string): FieldPath => (path === '' ? name : `${path}.${name}`);

/** The path of a list item or of a map entry: `spec.ports[0]`, `metadata.labels[app]`. */
export const keyOf = (path: FieldPath, key: string | number): FieldPath => `${path}[${key}]`;

const withDetail = (what: string, detail: string): string => (detail === '' ? what : `${what}: ${detail}`);

const at = (path: FieldPath): string => (path === '' ? '<nil>' : path);

/** `Required value`. */
export const required = (path: FieldPath, detail = ''): FieldError => ({
  reason: 'FieldValueRequired',
  field: at(path),
  message: withDetail('Required value', detail),
});

/** Marks a value that a message does not show. */
export const omitted = Symbol('omitted value');

const shown = (what: string, value: unknown): string => (value === omitted ? what : `${what}: ${goValue(value)}`);

/** `Invalid value: …`. */
export const invalidValue = (path: FieldPath, value: unknown, detail: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field: at(path),
  message: withDetail(shown('Invalid value', value), detail),
});

/** `Invalid value: …` for a value that is not of the schema's type. */
export const typeInvalid = (path: FieldPath, value: unknown, detail: string): FieldError => ({
  ...invalidValue(path, value, detail),
  reason: 'FieldValueTypeInvalid',
});

/** `Unsupported value: …: supported values: "a", "b"`. */
export const notSupported = (path: FieldPath, value: unknown, supported: readonly string[]): FieldError => ({
  reason: 'FieldValueNotSupported',
  field: at(path),
  message: withDetail(
    shown('Unsupported value', value),
    supported.length === 0 ? '' : `supported values: ${supported.map(goQuote).join(', ')}`,
  ),
});

/** `Forbidden: …`. */
export const forbiddenField = (path: FieldPath, detail: string): FieldError => ({
  reason: 'FieldValueForbidden',
  field: at(path),
  message: withDetail('Forbidden', detail),
});

/** `Duplicate value: …`. */
export const duplicate = (path: FieldPath, value: unknown): FieldError => ({
  reason: 'FieldValueDuplicate',
  field: at(path),
  message: shown('Duplicate value', value),
});

/** `Too long: may not be more than 3 bytes`. */
export const tooLong = (path: FieldPath, limit: number): FieldError => ({
  reason: 'FieldValueTooLong',
  field: at(path),
  message: `Too long: may not be more than ${limit} ${limit === 1 ? 'byte' : 'bytes'}`,
});

/** `Too many: 3: must have at most 2 items`. */
export const tooMany = (path: FieldPath, actual: number, limit: number): FieldError => ({
  reason: 'FieldValueTooMany',
  field: at(path),
  message: `Too many: ${actual}: must have at most ${limit} ${limit === 1 ? 'item' : 'items'}`,
});

/** `Internal error: …`. */
export const internalError = (path: FieldPath, detail: string): FieldError => ({
  reason: 'InternalError',
  field: at(path),
  message: withDetail('Internal error', detail),
});
