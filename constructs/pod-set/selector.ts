import type { PodTemplateSpec } from 'kubernetes-types/core/v1.js';

type Labels = Readonly<Record<string, string>>;

/** The fields of a PodSet that select its pods. */
export interface Selecting {
  readonly spec: { readonly selector?: { readonly matchLabels: Labels } };
}

/** Labels of all pods of the set: the labels of the user's selector, or the label that the operator sets. */
export const selectorLabels = ({ spec }: Selecting, own: Labels): Record<string, string> => ({
  ...(spec.selector?.matchLabels ?? own),
});

/**
 * The message for a selector with labels that pods of the template do not have; `undefined` if the pods have all labels. The CEL
 * rules of the schema do not detect this error.
 */
export const selectorProblem = (
  matchLabels: Labels | undefined,
  { name, template }: { readonly name: string; readonly template: PodTemplateSpec },
): string | undefined => {
  if (matchLabels === undefined) return undefined;
  const podLabels: Labels = { app: name, ...template.metadata?.labels };
  const missing = Object.keys(matchLabels).filter((key) => podLabels[key] !== matchLabels[key]);
  if (missing.length === 0) return undefined;
  const keys = missing.toSorted().join(', ');
  return `spec.selector requires labels that pods of spec.template do not have: ${keys}; add them to spec.template.metadata.labels`;
};
