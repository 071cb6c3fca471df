import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ApiError } from '#lib/errors.ts';
import { type CustomResourceDefinition, compileCrd } from '#lib/kind/crd.ts';
import { needsWebhook } from '#lib/kind/versions/webhook.ts';
import type { ApiResource, KubeApi } from '#lib/kube/api.ts';

/** Where definitions are in a cluster. */
export const DEFINITIONS: ApiResource = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
};

/** Where the webhook of an operator is served is not the kind's business, and not compared. */
const ANYWHERE = { name: 'operator', namespace: 'operator', port: 443 };

/** The definition that a kind compiles to now. */
export const compiled = (kind: AnyKindDefinition): CustomResourceDefinition =>
  compileCrd(kind, needsWebhook(kind) ? { conversion: ANYWHERE } : {});

/** A definition of a cluster; undefined when it has none. */
export const tryInstalled = async (
  api: Pick<KubeApi, 'get'>,
  name: string,
): Promise<CustomResourceDefinition | undefined> => {
  try {
    return (await api.get(DEFINITIONS, { name })) as unknown as CustomResourceDefinition;
  } catch (error) {
    if (error instanceof ApiError && error.httpStatus === 404) return undefined;
    throw error;
  }
};
