import { invalidValue } from '#lib/apiserver/machinery/field-error.ts';
import { type FieldErrors, fine } from '#lib/apiserver/machinery/validation/field.ts';

/** Paths must not lead upwards. */
export const checkNoBacksteps = (path: string, value: string): FieldErrors =>
  value.split('/').includes('..') ? [invalidValue(path, value, "must not contain '..'")] : fine;

/** Paths must be relative and must not lead upwards. */
export const checkDescendingPath = (path: string, value: string): FieldErrors => [
  ...(value.startsWith('/') ? [invalidValue(path, value, 'must be a relative path')] : []),
  ...checkNoBacksteps(path, value),
];

/** Paths must also not start with two dots, which the kubelet uses for itself. */
export const checkNonReservedPath = (path: string, value: string): FieldErrors => [
  ...checkDescendingPath(path, value),
  ...(value.startsWith('..') && !value.startsWith('../')
    ? [invalidValue(path, value, "must not start with '..'")]
    : []),
];

/** Permissions of files. */
export const checkFileMode = (path: string, mode: unknown): FieldErrors =>
  typeof mode === 'number' && (mode > 0o777 || mode < 0)
    ? [invalidValue(path, mode, 'must be a number between 0 and 0777 (octal), both inclusive')]
    : fine;
