import { selects } from '#lib/apiserver/machinery/label-selector.ts';
import type { NodeRequirement, NodeSelectorTerm, PodSpec } from '../workload.ts';

/** The fields of a node that pods can select by. */
export interface SelectableNode {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

const isInteger = (text: string | undefined): text is string => text !== undefined && /^[+-]?[0-9]+$/.test(text);

const meets = (labels: Readonly<Record<string, string>>, requirement: NodeRequirement): boolean => {
  const { key, operator, values = [] } = requirement;
  if (operator !== 'Gt' && operator !== 'Lt') return selects({ matchExpressions: [requirement] }, labels);
  const [value, bound] = [Object.hasOwn(labels, key) ? labels[key] : undefined, values[0]];
  if (!isInteger(value) || !isInteger(bound)) return false;
  return operator === 'Gt' ? BigInt(value) > BigInt(bound) : BigInt(value) < BigInt(bound);
};

const meetsTerm = ({ name, labels = {} }: SelectableNode, term: NodeSelectorTerm): boolean => {
  const { matchExpressions = [], matchFields = [] } = term;
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  const fields = { 'metadata.name': name };
  return (
    matchExpressions.every((requirement) => meets(labels, requirement)) &&
    matchFields.every((requirement) => meets(fields, requirement))
  );
};

/** The required terms of the node affinity of a pod; undefined if there are none. */
export const requiredTerms = ({ affinity }: Pick<PodSpec, 'affinity'>): readonly NodeSelectorTerm[] | undefined =>
  affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;

/**
 * Whether a node matches the node selector and the required node affinity of a pod.
 *
 * @see k8s.io/component-helpers v0.36.4 scheduling/corev1/nodeaffinity/nodeaffinity.go (`GetRequiredNodeAffinity`)
 */
export const matchesNode = (spec: Pick<PodSpec, 'affinity' | 'nodeSelector'>, node: SelectableNode): boolean => {
  const terms = requiredTerms(spec);
  return (
    selects({ matchLabels: spec.nodeSelector ?? {} }, node.labels) &&
    (terms === undefined || terms.some((term) => meetsTerm(node, term)))
  );
};
