import { fnv32a, NAME_LETTERS } from '#lib/apiserver/machinery/text/names.ts';
import { canonicalJson } from '#lib/json.ts';
import type { PodTemplate, ReplicaSet, StoredDeployment } from '../workload.ts';

/** The label that distinguishes the ReplicaSets of a deployment. */
export const POD_TEMPLATE_HASH = 'pod-template-hash';

const texts = new WeakMap<PodTemplate, string>();

/**
 * The canonical text of a template without the hash label and the creation timestamp. Templates are frozen, so the text is
 * cached.
 */
const templateText = (template: PodTemplate): string => {
  const known = texts.get(template);
  if (known !== undefined) return known;
  const { [POD_TEMPLATE_HASH]: _, ...labels } = template.metadata?.labels ?? {};
  const text = canonicalJson({ ...template, metadata: { ...template.metadata, creationTimestamp: undefined, labels } });
  texts.set(template, text);
  return text;
};

/**
 * Whether two templates are equal apart from the hash label and the creation timestamp.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/deployment/util/deployment_util.go (`EqualIgnoreHash`)
 */
const isSameTemplate = (a: PodTemplate, b: PodTemplate): boolean => a === b || templateText(a) === templateText(b);

/** Whether a ReplicaSet has the current template of its deployment. */
export const hasTemplateOf = ({ spec }: ReplicaSet, deployment: StoredDeployment): boolean =>
  isSameTemplate(spec.template, deployment.spec.template);

/**
 * Encodes the decimal digits of a hash as the safe characters of Kubernetes, which form no words.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/util/rand/rand.go (`SafeEncodeString`)
 */
export const encodedHash = (hash: number): string =>
  String(hash).replace(/[0-9]/g, (digit) => NAME_LETTERS.charAt(digit.charCodeAt(0) % NAME_LETTERS.length));

/**
 * Returns the hash of a template, in the alphabet of the real controller. The real controller returns other values, because it
 * hashes a dump of Go structs.
 *
 * @param collisions - `status.collisionCount`; part of the hash unless undefined
 */
export const podTemplateHash = (template: PodTemplate, collisions: number | undefined): string => {
  const hash = fnv32a(collisions === undefined ? templateText(template) : `${templateText(template)}#${collisions}`);
  return encodedHash(hash);
};
