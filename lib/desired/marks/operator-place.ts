import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { carries, type Labels } from '#lib/desired/observe/selection.ts';
import type { KubeObject, ObjectMeta } from '#lib/kind/handles/reference.ts';

/** The labels that the construct `Operator` sets on all objects of each bundle. */
export const OPERATOR_LABELS: Labels = {
  'app.kubernetes.io/component': 'operator',
  'app.kubernetes.io/managed-by': 'cdk8s-reconcile',
};

/** Whether a result depends on the namespace of the operator, which matters only to `elsewhere()` with `any`. */
export const dependsOnOperatorPlace = (kinds: readonly AnyKindDefinition[]): boolean =>
  kinds.some(({ owns, reads = [] }) => [...owns, ...reads].some(({ elsewhere }) => elsewhere?.namespaces === 'any'));

/** The members of an object that {@link operatorPlaceAmong} reads. */
interface PlacedObject extends Pick<KubeObject, 'kind'> {
  readonly metadata?: Pick<ObjectMeta, 'namespace' | 'labels'>;
}

/**
 * The namespace of the operator whose Deployment is among the objects. Undefined if there is none, and if operators are in several
 * namespaces.
 */
export const operatorPlaceAmong = (objects: readonly PlacedObject[]): string | undefined => {
  const deployments = objects.filter((object) => object.kind === 'Deployment' && carries(object, OPERATOR_LABELS));
  const [only, ...others] = new Set(deployments.map(({ metadata }) => metadata?.namespace));
  return others.length === 0 ? only : undefined;
};
