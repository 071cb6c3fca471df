import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '#lib/apiserver/machinery/field-error.ts';
import type { RequestOptions, ServerRequest } from '#lib/apiserver/machinery/request.ts';
import { checkOptions } from '../errors.ts';

const MANAGER_LIMIT = 128;
const VALIDATIONS = ['', 'Ignore', 'Strict', 'Warn'];

const checkManager = (manager: string): readonly FieldError[] => {
  if (/^[\x20-\x7e]{0,128}$/.test(manager)) return [];
  const errors = Buffer.byteLength(manager) > MANAGER_LIMIT ? [tooLong('fieldManager', MANAGER_LIMIT)] : [];
  const hidden = [...manager.matchAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu)];
  const named = hidden.map(({ 0: character, index }) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const detail = `invalid character U+${code} (at position ${Buffer.byteLength(manager.slice(0, index))})`;
    return invalidValue('fieldManager', manager, detail);
  });
  return [...errors, ...named];
};

const checkWriteOptions = ({ fieldManager = '', fieldValidation = 'Warn' }: RequestOptions): readonly FieldError[] => [
  ...checkManager(fieldManager),
  ...(VALIDATIONS.includes(fieldValidation) ? [] : [notSupported('fieldValidation', fieldValidation, VALIDATIONS)]),
];

/**
 * Checks the query of a create or an update.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/apis/meta/v1/validation/validation.go
 * @throws {StatusError} 422
 */
export const validateWriteOptions = (kind: 'CreateOptions' | 'UpdateOptions', options: RequestOptions): void =>
  checkOptions(kind, checkWriteOptions(options));

/** Checks the query of a patch. @throws {StatusError} 422 */
export const validatePatchOptions = ({ patchType, options = {} }: ServerRequest): void => {
  const errors: FieldError[] = [];
  if (patchType === 'apply') {
    if ((options.fieldManager ?? '') === '') errors.push(required('fieldManager', 'is required for apply patch'));
  } else if (options.force !== undefined) {
    errors.push(forbiddenField('force', 'may not be specified for non-apply patch'));
  }
  checkOptions('PatchOptions', [...errors, ...checkWriteOptions(options)]);
};
