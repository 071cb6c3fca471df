import { failure, type StatusError } from '#lib/apiserver/machinery/status.ts';
import { goFloat, goQuote } from '#lib/apiserver/machinery/text/go-text.ts';
import { type FieldSet, pathsOf } from './fields/field-set.ts';
import { elementText } from './fields/path-element.ts';
import { compareTexts } from './fields/value.ts';
import type { Owner } from './managers.ts';

const managerText = ({ manager, operation, apiVersion, subresource }: Owner): string => {
  const name = goQuote(manager);
  const part = subresource === '' ? name : `${name} with subresource ${goQuote(subresource)}`;
  return operation === 'Update' ? `${part} using ${apiVersion}` : part;
};

const fieldTexts = (set: FieldSet): string[] =>
  pathsOf(set).map((path) => path.map((element) => elementText(element, goFloat)).join(''));

/**
 * Creates the error 409 for an apply that would change fields of other managers. The managers are sorted; the real server lists
 * them in random order.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/util/managedfields/internal/conflict.go
 */
export const conflictError = (conflicts: readonly (readonly [Owner, FieldSet])[]): StatusError => {
  const sorted = conflicts.toSorted(([a], [b]) => compareTexts(a.id, b.id));
  const groups = sorted.map(([owner, set]) => ({ subject: managerText(owner), fields: fieldTexts(set) }));
  const causes = groups.flatMap(({ subject, fields }) =>
    fields.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${subject}`, field })),
  );
  const [first] = causes;
  const lists = groups.map(({ subject, fields }) => [
    `conflicts with ${subject}:`,
    ...fields.map((field) => `- ${field}`),
  ]);
  const message =
    causes.length === 1 && first !== undefined
      ? `Apply failed with 1 conflict: ${first.message}: ${first.field}`
      : `Apply failed with ${causes.length} conflicts: ${lists.flat().join('\n')}`;
  return failure({ code: 409, reason: 'Conflict', message, details: { causes } });
};
