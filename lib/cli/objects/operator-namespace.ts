import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { dependsOnOperatorPlace, OPERATOR_LABELS, operatorPlaceAmong } from '#lib/desired/marks/operator-place.ts';
import { ApiError } from '#lib/errors.ts';
import { Deployment } from '#lib/kind/handles/reference.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import { listAll } from './family.ts';
import { UNREADABLE } from './unread.ts';

/** The labels of the Deployment of each operator, as a selector. */
export const OPERATOR_SELECTOR = Object.entries(OPERATOR_LABELS)
  .map(([label, value]) => `${label}=${value}`)
  .join();

/**
 * The namespace of the installed operator, in which `elsewhere()` with `any` allows nothing. Undefined if no definition is
 * concerned, if the Deployments cannot be read, and if operators are installed in several namespaces or in none.
 */
export const operatorNamespace = async (
  api: Pick<KubeApi, 'list'>,
  kinds: readonly AnyKindDefinition[],
): Promise<string | undefined> => {
  if (!dependsOnOperatorPlace(kinds)) return undefined;
  try {
    const { items } = await listAll(api, Deployment, { labelSelector: OPERATOR_SELECTOR });
    return operatorPlaceAmong(items);
  } catch (error) {
    if (error instanceof ApiError && UNREADABLE.has(error.httpStatus)) return undefined;
    throw error;
  }
};
