import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { badRequest } from '#lib/apiserver/machinery/status.ts';
import type { Target } from '../target.ts';
import { type FieldSelector, fieldSelectorOf, nameTerm, parseFieldSelector } from './field-selector.ts';
import { type LabelPredicate, parseLabelSelector } from './label-selector.ts';

/** The objects that a list or a watch covers. */
export interface ObjectSelection {
  matches(object: ServerObject): boolean;
  /** Whether the selection has no condition, so that all objects match. */
  readonly isEmpty: boolean;
  /** The only name that can match; absent if several names can match. */
  readonly name?: string;
}

interface Selectors {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

const combine = (labels: LabelPredicate | undefined, fields: FieldSelector | undefined): ObjectSelection => ({
  matches: (object) => (labels?.(object.metadata.labels) ?? true) && (fields?.matches(object) ?? true),
  isEmpty: labels === undefined && fields === undefined,
  ...(fields?.name !== undefined && { name: fields.name }),
});

/**
 * Parses the selectors of a request. Like the real server, the function checks the syntax first, then calls `validate`, and then
 * resolves the fields.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/endpoints/handlers/get.go (`listOpts`)
 * @throws {StatusError} 400, or the error that `validate` throws
 */
export const selectionOf = (
  { kind, name }: Target,
  { labelSelector, fieldSelector }: Selectors,
  validate: () => void,
): ObjectSelection => {
  const labels = parseLabelSelector(labelSelector);
  const terms = parseFieldSelector(fieldSelector);
  validate();
  const fields = fieldSelectorOf(kind, terms);
  if (name === '') return combine(labels, fields);
  if (fields !== undefined && fields.name !== name) {
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  }
  return combine(labels, fields ?? fieldSelectorOf(kind, [nameTerm(name)]));
};
