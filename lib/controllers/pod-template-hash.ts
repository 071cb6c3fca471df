import { canonicalJson } from '#lib/json.ts';
import { fnv32a, NAME_LETTERS } from '#lib/apiserver/machinery/names.ts';
import type { Deployment, PodTemplate, ReplicaSet } from './workload.ts';

/** The label that tells the ReplicaSets of a deployment apart. */
export const POD_TEMPLATE_HASH = 'pod-template-hash';

const texts = new WeakMap<PodTemplate, string>();

/** Templates are frozen, so the text of each is made once. */
const textOf = (template: PodTemplate): string => {
  const known = texts.get(template);
  if (known !== undefined) return known;
  const { [POD_TEMPLATE_HASH]: _, ...labels } = template.metadata?.labels ?? {};
  const text = canonicalJson({ ...template, metadata: { ...template.metadata, creationTimestamp: undefined, labels } });
  texts.set(template, text);
  return text;
};

/** Whether two templates are the same but for the hash label. @see k8s.io/kubernetes v1.36.4 pkg/controller/deployment/util/deployment_util.go (`EqualIgnoreHash`) */
const isSameTemplate = (a: PodTemplate, b: PodTemplate): boolean => a === b || textOf(a) === textOf(b);

/** Whether a ReplicaSet makes the pods that a deployment wants now. */
export const hasTemplateOf = ({ spec }: ReplicaSet, deployment: Deployment): boolean =>
  isSameTemplate(spec.template, deployment.spec.template);

/**
 * The hash of a template, in the alphabet of the real one. Its value differs from the real one, which hashes a dump of Go
 * structs.
 *
 * @param collisions - `status.collisionCount`
 */
export const podTemplateHash = (template: PodTemplate, collisions: number | undefined): string => {
  const hash = fnv32a(collisions === undefined ? textOf(template) : `${textOf(template)}#${collisions}`);
  return String(hash).replace(/[0-9]/g, (digit) => NAME_LETTERS.charAt(digit.charCodeAt(0) % NAME_LETTERS.length));
};
