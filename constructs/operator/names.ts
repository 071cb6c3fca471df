import { type ApiObject, Chart, JsonPatch } from 'cdk8s';

/** The name and namespace of the objects of an operator. */
export interface OperatorNames {
  /** Name of ServiceAccount, ClusterRole, ClusterRoleBinding and Deployment. */
  readonly name: string;
  readonly namespace: string;
}

/**
 * Labels on every object of the bundle. These labels must not change between releases, because the first label selects the pods.
 */
export const operatorLabels = ({ name }: OperatorNames): Record<string, string> => ({
  'app.kubernetes.io/name': name,
  'app.kubernetes.io/component': 'operator',
  'app.kubernetes.io/managed-by': 'cdk8s-reconcile',
});

/** The selector of the operator's pods. This selector must not change, because the selector of a Deployment is immutable. */
export const operatorSelector = ({ name }: OperatorNames): Record<string, string> => ({
  'app.kubernetes.io/name': name,
});

/**
 * Removes the namespace from cluster-scoped objects. A chart with a namespace sets it on all its objects.
 *
 * @see https://github.com/cdk8s-team/cdk8s/issues/1558
 */
export const clusterScoped = <O extends ApiObject>(object: O): O => {
  if (Chart.of(object).namespace !== undefined) object.addJsonPatch(JsonPatch.remove('/metadata/namespace'));
  return object;
};
