import { invalidValue } from '#lib/apiserver/machinery/field-error.ts';
import { type FieldErrors, fine } from '#lib/apiserver/machinery/validation/field.ts';

/** Returns an error if an element of a path is `..`. */
export const checkNoBacksteps = (path: string, value: string): FieldErrors =>
  value.split('/').includes('..') ? [invalidValue(path, value, "must not contain '..'")] : fine;

/** Returns errors if a path is absolute, or an element of the path is `..`. */
export const checkDescendingPath = (path: string, value: string): FieldErrors => [
  ...(value.startsWith('/') ? [invalidValue(path, value, 'must be a relative path')] : []),
  ...checkNoBacksteps(path, value),
];

/**
 * Returns errors if a path is absolute, has the element `..`, or starts with two dots. The kubelet reserves names with two dots.
 */
export const checkNonReservedPath = (path: string, value: string): FieldErrors => [
  ...checkDescendingPath(path, value),
  ...(value.startsWith('..') && !value.startsWith('../')
    ? [invalidValue(path, value, "must not start with '..'")]
    : []),
];

/** Checks that file permissions are between 0 and 0777 (octal). An absent mode is valid. */
export const checkFileMode = (path: string, mode: unknown): FieldErrors =>
  typeof mode === 'number' && (mode > 0o777 || mode < 0)
    ? [invalidValue(path, mode, 'must be a number between 0 and 0777 (octal), both inclusive')]
    : fine;
