import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';
import { apiVersionOf, namesOf } from '#lib/kind/names.ts';
import type { KindShape } from '#lib/kind/shape.ts';

/** Another Deployer, with the fields that are read. */
export interface OtherDeployer extends KubeObject {
  readonly spec?: { readonly deployment?: { readonly name?: string; readonly namespace?: string } };
}

/**
 * Makes the handle of Deployers. The kind reads the other Deployers of the namespace, because two of them may have the same
 * `deployment.name`.
 */
export const otherDeployers = (
  identity: Pick<KindShape, 'group' | 'version' | 'kind' | 'plural'>,
): KindRef<OtherDeployer> => ({
  apiVersion: apiVersionOf(identity),
  kind: identity.kind,
  plural: namesOf(identity).plural,
  scope: 'Namespaced',
  fields: ['spec.deployment.name', 'spec.deployment.namespace'],
});
