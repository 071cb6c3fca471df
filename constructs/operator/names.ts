import { type ApiObject, Chart, JsonPatch } from 'cdk8s';
import { OPERATOR_LABELS } from '#lib/desired/marks/operator-place.ts';

/** The name and the namespace of an operator. */
export interface OperatorNames {
  readonly name: string;
  readonly namespace: string;
}

/** The labels of every object of the bundle. */
export const operatorLabels = ({ name }: OperatorNames): Record<string, string> => ({
  'app.kubernetes.io/name': name,
  ...OPERATOR_LABELS,
});

/**
 * The selector of the pods of the operator. The selector must not change between releases, because the selector of a Deployment
 * is immutable.
 */
export const operatorSelector = ({ name }: OperatorNames): Record<string, string> => ({
  'app.kubernetes.io/name': name,
});

/**
 * Removes the namespace from a cluster-scoped object, because cdk8s sets the namespace of a chart on all its objects.
 *
 * @see https://github.com/cdk8s-team/cdk8s/issues/1558
 */
export const clusterScoped = <O extends ApiObject>(object: O): O => {
  if (Chart.of(object).namespace !== undefined) object.addJsonPatch(JsonPatch.remove('/metadata/namespace'));
  return object;
};
