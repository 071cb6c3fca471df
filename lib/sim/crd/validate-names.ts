import type { FieldError } from '#lib/sim/machinery/field-error.ts';
import { dnsLabelProblems } from '#lib/sim/schema/embedded.ts';
import { childOf, type FieldPath, invalidValue, keyOf, required } from '#lib/sim/schema/field-errors.ts';
import type { DefinitionNames } from './definition.ts';

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const NO_SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const subdomainProblems = (text: string): string[] => [
  ...(text.length > 253 ? ['must be no more than 253 characters'] : []),
  ...(SUBDOMAIN.test(text) ? [] : [NO_SUBDOMAIN]),
];

/** The group of a definition. */
export const validateGroup = (group: string): FieldError[] => {
  const path: FieldPath = 'spec.group';
  if (group === '') return [required(path)];
  const problems = subdomainProblems(group);
  if (problems.length > 0) return [invalidValue(path, group, problems.join(','))];
  return group.includes('.') ? [] : [invalidValue(path, group, 'should be a domain with at least one dot')];
};

/** A name that must be a DNS label. */
export const labelError = (name: string, path: FieldPath): FieldError[] => {
  const problems = dnsLabelProblems(name);
  return problems.length === 0 ? [] : [invalidValue(path, name, problems.join(','))];
};

const kindError = (kind: string, path: FieldPath): FieldError[] => {
  const problems = dnsLabelProblems(kind.toLowerCase());
  const why = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
  return problems.length === 0 ? [] : [invalidValue(path, kind, why)];
};

const isKind = (name: string): boolean => name === 'kind' || name === 'listKind';

const NAMES = ['plural', 'singular', 'kind', 'listKind'] as const;

/** @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apis/apiextensions/validation/validation.go (`ValidateCustomResourceDefinitionNames`) */
export const validateNames = (names: DefinitionNames): FieldError[] => {
  const path: FieldPath = 'spec.names';
  const { kind, listKind = '', shortNames = [], categories = [] } = names;
  const given = NAMES.filter((name) => (names[name] ?? '') !== '');
  return [
    ...NAMES.filter((name) => (names[name] ?? '') === '').map((name) => required(childOf(path, name))),
    ...given.flatMap((name) => (isKind(name) ? kindError : labelError)(names[name] ?? '', childOf(path, name))),
    ...shortNames.flatMap((name, index) => labelError(name, keyOf(childOf(path, 'shortNames'), index))),
    ...(kind !== '' && kind === listKind
      ? [invalidValue(childOf(path, 'listKind'), listKind, 'kind and listKind may not be the same')]
      : []),
    ...categories.flatMap((name, index) => labelError(name, keyOf(childOf(path, 'categories'), index))),
  ];
};
