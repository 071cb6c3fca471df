import { invalidValue } from '#lib/apiserver/machinery/field-error.ts';
import { type FieldErrors, fine } from '#lib/apiserver/machinery/validation/field.ts';

/** Refuses paths that contain `..`. */
export const checkNoBacksteps = (path: string, value: string): FieldErrors =>
  value.split('/').includes('..') ? [invalidValue(path, value, "must not contain '..'")] : fine;

/** Refuses paths that are absolute or contain `..`. */
export const checkDescendingPath = (path: string, value: string): FieldErrors => [
  ...(value.startsWith('/') ? [invalidValue(path, value, 'must be a relative path')] : []),
  ...checkNoBacksteps(path, value),
];

/**
 * Refuses absolute paths and paths that contain `..`. Also refuses paths that start with two dots, which the kubelet reserves.
 */
export const checkNonReservedPath = (path: string, value: string): FieldErrors => [
  ...checkDescendingPath(path, value),
  ...(value.startsWith('..') && !value.startsWith('../')
    ? [invalidValue(path, value, "must not start with '..'")]
    : []),
];

/** Checks file permissions. */
export const checkFileMode = (path: string, mode: unknown): FieldErrors =>
  typeof mode === 'number' && (mode > 0o777 || mode < 0)
    ? [invalidValue(path, mode, 'must be a number between 0 and 0777 (octal), both inclusive')]
    : fine;
