import {
  type FieldError,
  type FieldPath,
  invalidValue,
  keyPath,
  memberPath,
  required,
} from '#lib/apiserver/machinery/field-error.ts';
import { isDns1035Label, isDns1123Subdomain, isKindName } from '#lib/apiserver/machinery/validation/content.ts';
import { checkText, type FieldErrors } from '#lib/apiserver/machinery/validation/field.ts';
import type { DefinitionNames } from '../definition.ts';

/** Checks that the group of a CRD is a domain with at least one dot. */
export const validateGroup = (group: string): FieldError[] => {
  const path: FieldPath = 'spec.group';
  if (group === '') return [required(path)];
  const problems = isDns1123Subdomain(group);
  if (problems.length > 0) return [invalidValue(path, group, problems.join(','))];
  return group.includes('.') ? [] : [invalidValue(path, group, 'should be a domain with at least one dot')];
};

/** Checks that a name is a DNS-1035 label. Returns at most one error. */
export const labelError = (name: string, path: FieldPath): FieldError[] => {
  const problems = isDns1035Label(name);
  return problems.length === 0 ? [] : [invalidValue(path, name, problems.join(','))];
};

const kindError = (kind: string, path: FieldPath): FieldErrors => checkText(path, kind, isKindName);

const isKind = (name: string): boolean => name === 'kind' || name === 'listKind';

const NAMES = ['plural', 'singular', 'kind', 'listKind'] as const;

/**
 * Validates the names in a CRD.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apis/apiextensions/validation/validation.go
 * (`ValidateCustomResourceDefinitionNames`)
 */
export const validateNames = (names: DefinitionNames): FieldError[] => {
  const path: FieldPath = 'spec.names';
  const { kind, listKind = '', shortNames = [], categories = [] } = names;
  const given = NAMES.filter((name) => (names[name] ?? '') !== '');
  return [
    ...NAMES.filter((name) => (names[name] ?? '') === '').map((name) => required(memberPath(path, name))),
    ...given.flatMap((name) => (isKind(name) ? kindError : labelError)(names[name] ?? '', memberPath(path, name))),
    ...shortNames.flatMap((name, index) => labelError(name, keyPath(memberPath(path, 'shortNames'), index))),
    ...(kind !== '' && kind === listKind
      ? [invalidValue(memberPath(path, 'listKind'), listKind, 'kind and listKind may not be the same')]
      : []),
    ...categories.flatMap((name, index) => labelError(name, keyPath(memberPath(path, 'categories'), index))),
  ];
};
