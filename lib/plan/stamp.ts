import { canonical, shortHash } from '#lib/desired/canonical.ts';
import { ownerLabels } from '#lib/desired/names.ts';
import type { KubeObject, OwnerReference } from '#lib/kind/reference.ts';
import type { PlanInput } from './input.ts';

/**
 * The reference that makes a resource the controller of its children. Without `blockOwnerDeletion`, so that no right on
 * the `finalizers` subresource is needed.
 */
const controllerReference = ({ definition, resource }: Pick<PlanInput, 'definition' | 'resource'>): OwnerReference => ({
  apiVersion: `${definition.group}/${definition.version}`,
  kind: definition.kind,
  name: resource.metadata.name,
  uid: resource.metadata.uid,
  controller: true,
});

/** On every child: a hash of the intent that it was made of. Short, because some runtimes copy annotations into labels. */
const INTENT_HASH = 'cdk8s-reconcile/intent';
const HASH_LENGTH = 10;

/** True when a live child was made of the same intent. */
export const isMadeOf = (live: KubeObject, intent: KubeObject): boolean =>
  live.metadata?.annotations?.[INTENT_HASH] === shortHash(intent, HASH_LENGTH);

/**
 * An intent as it is sent: canonical, in the parent's namespace, labelled and owned by the parent.
 *
 * @param input - whose child it is
 * @param object - the intent; not changed
 * @returns a new object
 */
export const stamp = (input: Pick<PlanInput, 'definition' | 'resource'>, object: KubeObject): KubeObject => {
  const { definition, resource } = input;
  const annotations = { ...object.metadata?.annotations, [INTENT_HASH]: shortHash(object, HASH_LENGTH) };
  const metadata = {
    ...object.metadata,
    annotations,
    namespace: resource.metadata.namespace,
    labels: { ...object.metadata?.labels, ...ownerLabels(definition, resource.metadata.name) },
    ownerReferences: [controllerReference(input)],
  };
  return canonical({ ...object, metadata }) as KubeObject;
};
