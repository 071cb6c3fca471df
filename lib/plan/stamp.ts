import { canonical } from '#lib/desired/canonical.ts';
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

/**
 * An intent as it is sent: canonical, in the parent's namespace, labelled and owned by the parent.
 *
 * @param input - whose child it is
 * @param object - the intent; not changed
 * @returns a new object
 */
export const stamp = (input: Pick<PlanInput, 'definition' | 'resource'>, object: KubeObject): KubeObject => {
  const { definition, resource } = input;
  const metadata = {
    ...object.metadata,
    namespace: resource.metadata.namespace,
    labels: { ...object.metadata?.labels, ...ownerLabels(definition, resource.metadata.name) },
    ownerReferences: [controllerReference(input)],
  };
  return canonical({ ...object, metadata }) as KubeObject;
};
