import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { badRequest } from '#lib/apiserver/machinery/status.ts';
import { type FieldSelector, fieldSelectorOf, nameTerm, parseFieldSelector } from './field-selector.ts';
import { type LabelSelector, parseLabelSelector } from './label-selector.ts';
import type { Target } from './target.ts';

/** Which objects a list or a watch is about. */
export interface Selection {
  matches(object: ServerObject): boolean;
  /** Whether nothing but the namespace selects. */
  readonly isEmpty: boolean;
  /** The one name that can match. */
  readonly name?: string;
}

interface Selectors {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

const combine = (labels: LabelSelector | undefined, fields: FieldSelector | undefined): Selection => ({
  matches: (object) => (labels?.(object.metadata.labels) ?? true) && (fields?.matches(object) ?? true),
  isEmpty: labels === undefined && fields === undefined,
  ...(fields?.name !== undefined && { name: fields.name }),
});

/**
 * Reads the selectors of a request. Syntax is checked first, then `validate` is called, then fields are looked up, as in
 * the real server.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/endpoints/handlers/get.go (`listOpts`)
 * @throws {StatusError} 400
 */
export const selectionOf = (
  { kind, name }: Target,
  { labelSelector, fieldSelector }: Selectors,
  validate: () => void,
): Selection => {
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
