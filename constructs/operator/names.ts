import { type ApiObject, Chart, JsonPatch } from 'cdk8s';

/** The name and the namespace of an operator. */
export interface OperatorNames {
  /** The name of the Deployment, the ServiceAccount and several other objects. */
  readonly name: string;
  readonly namespace: string;
}

/** The labels of every object of the bundle. The name label also selects the pods. */
export const operatorLabels = ({ name }: OperatorNames): Record<string, string> => ({
  'app.kubernetes.io/name': name,
  'app.kubernetes.io/component': 'operator',
  'app.kubernetes.io/managed-by': 'cdk8s-reconcile',
});

/**
 * The selector of the operator's pods. It must not change between releases, because the selector of a Deployment is
 * immutable.
 */
export const operatorSelector = ({ name }: OperatorNames): Record<string, string> => ({
  'app.kubernetes.io/name': name,
});

/**
 * Removes the namespace from a cluster-scoped object, because a chart with a namespace sets it on all objects.
 *
 * @see https://github.com/cdk8s-team/cdk8s/issues/1558
 */
export const clusterScoped = <O extends ApiObject>(object: O): O => {
  if (Chart.of(object).namespace !== undefined) object.addJsonPatch(JsonPatch.remove('/metadata/namespace'));
  return object;
};
