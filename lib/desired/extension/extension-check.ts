import { handleIssues } from '#lib/desired/check/handle-check.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { Issue } from '#lib/errors.ts';
import { fitsLabelValue, isDnsLabel, isDnsSubdomain, isLabelName } from '#lib/kind/dns.ts';
import type { Extension } from '#lib/kind/extension.ts';
import { resourceName } from '#lib/kind/handles/reference.ts';
import { isNamespaceKind, isSystemNamespace } from './parents.ts';

const nameIssues = ({ kind: name, group }: AnyKindDefinition): Issue[] => [
  ...(isDnsLabel(name)
    ? []
    : [
        {
          path: 'name',
          rule: 'extension-name',
          message: 'must be a DNS label: lower-case letters, digits and "-", at most 63 characters',
          value: name,
          fix: 'such as tenant-defaults',
        },
      ]),
  ...(isDnsSubdomain(group) && group.includes('.') && !/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group)
    ? []
    : [
        {
          path: 'group',
          rule: 'extension-group',
          message: 'must be a lower-case domain with at least one dot that does not belong to the Kubernetes project',
          value: group,
          fix: 'use a domain of yours',
        },
      ]),
];

const parentIssues = ({ of }: Extension): Issue[] => {
  const isComplete =
    /^(?:[a-z0-9.-]+\/)?v\d\w*$/.test(of.apiVersion) && /^[A-Z]/.test(of.kind) && isDnsLabel(of.plural);
  return isComplete
    ? handleIssues(of, { rule: 'extension-handle', pathOf: (member) => `of.${member}` })
    : [
        {
          path: 'of',
          rule: 'extension-handle',
          message:
            'must be the handle of a kind: apiVersion, kind, plural and scope as `kubectl api-resources` shows them',
          value: `${of.apiVersion} ${of.kind} (${of.plural})`,
          fix: 'import the handle, such as Namespace, or make one with these four members',
        },
      ];
};

/** Issues of a selection that names a namespace of Kubernetes, but does not restrict the objects in the namespace. */
const systemIssues = ({ of, where = {} }: Extension): Issue[] => {
  const isRestricted = Object.keys(where.labels ?? {}).length > 0 || where.names !== undefined;
  if (isNamespaceKind(of) || isRestricted) return [];
  return (where.namespaces ?? []).filter(isSystemNamespace).map((namespace) => ({
    path: 'where.namespaces',
    rule: 'extension-selection',
    message: `selects every ${of.kind} of a namespace of Kubernetes itself`,
    value: namespace,
    fix: 'add labels or names to where, or leave this namespace out',
  }));
};

/**
 * Issues of empty lists and invalid labels in the selection. They select no object, so no object would be a parent any more.
 */
const emptyIssues = ({ where = {} }: Extension): Issue[] => {
  const empty = (['names', 'namespaces'] as const)
    .filter((member) => where[member]?.length === 0)
    .map((member) => ({ path: `where.${member}`, message: 'is empty and selects no object' }));
  const labels = Object.entries(where.labels ?? {})
    .filter(([name, value]) => !isLabelName(name) || !fitsLabelValue(value))
    .map(([name]) => ({ path: `where.labels["${name}"]`, message: 'is no valid label, and selects no object' }));
  const fix = 'leave the member out to select all objects, or correct it';
  return [...empty, ...labels].map((issue) => ({ ...issue, rule: 'extension-selection', fix }));
};

const selectionIssues = ({ of, where = {} }: Extension): Issue[] => {
  if (of.scope === 'Namespaced' || where.namespaces === undefined) return [];
  const message = `${resourceName(of)} are cluster-scoped and have no namespace`;
  return [{ path: 'where.namespaces', rule: 'extension-selection', message, fix: 'select by names or labels' }];
};

const ownIssues = ({ owns }: AnyKindDefinition, { of }: Extension): Issue[] => {
  if (owns.every((owned) => resourceName(owned) !== resourceName(of))) return [];
  const message = `the extension owns ${resourceName(of)}, the kind that it extends: its children would be parents again`;
  return [{ path: 'owns', rule: 'extension-owns-itself', message, fix: 'leave the kind out of owns' }];
};

const conditionIssues = ({ condition }: Extension): Issue[] => {
  if (condition === undefined || /^(?:[a-z0-9.-]+\/)?[A-Z][A-Za-z0-9]*$/.test(condition.type)) return [];
  const message = 'must be a word in CamelCase, with or without a domain and "/" in front of it';
  return [
    { path: 'condition.type', rule: 'extension-condition', message, value: condition.type, fix: 'such as TenantReady' },
  ];
};

/** The issues of an extension that can be found without a request; none for other definitions. */
export const extensionIssues = (definition: AnyKindDefinition): Issue[] => {
  const { extension } = definition;
  if (extension === undefined) return [];
  return [
    ...nameIssues(definition),
    ...parentIssues(extension),
    ...emptyIssues(extension),
    ...selectionIssues(extension),
    ...systemIssues(extension),
    ...ownIssues(definition, extension),
    ...conditionIssues(extension),
  ];
};
