import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ApiError } from '#lib/errors.ts';
import { Deployment } from '#lib/kind/handles/reference.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import { listAll } from './family.ts';
import { UNREADABLE } from './unread.ts';

/** The labels that the construct `Operator` sets on its Deployment, as a selector. */
export const OPERATOR_SELECTOR = 'app.kubernetes.io/component=operator,app.kubernetes.io/managed-by=cdk8s-reconcile';

/** The namespace of the operator matters only to `elsewhere()` with `any`. */
const isConcerned = ({ owns, reads = [] }: AnyKindDefinition): boolean =>
  [...owns, ...reads].some(({ elsewhere }) => elsewhere?.namespaces === 'any');

/**
 * The namespace of the installed operator, in which `elsewhere()` with `any` allows nothing. Undefined if no definition is
 * concerned, if the Deployments cannot be read, and if operators are installed in several namespaces or in none.
 */
export const operatorNamespace = async (
  api: Pick<KubeApi, 'list'>,
  kinds: readonly AnyKindDefinition[],
): Promise<string | undefined> => {
  if (!kinds.some(isConcerned)) return undefined;
  try {
    const { items } = await listAll(api, Deployment, { labelSelector: OPERATOR_SELECTOR });
    const [only, ...others] = new Set(items.map(({ metadata }) => metadata.namespace));
    return others.length === 0 ? only : undefined;
  } catch (error) {
    if (error instanceof ApiError && UNREADABLE.has(error.httpStatus)) return undefined;
    throw error;
  }
};
