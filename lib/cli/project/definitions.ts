import { compileDefinition } from '#lib/desired/check/compile-definition.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { CustomResourceDefinition } from '#lib/kind/crd.ts';
import { needsWebhook } from '#lib/kind/versions/webhook.ts';
import { DEFINITIONS } from '#lib/kube/client/definitions.ts';
import { tryGet } from '#lib/kube/client/missing.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';

/** Placeholder for the webhook service, which is not compared. The service belongs to an operator, and not to a kind. */
const ANYWHERE = { name: 'operator', namespace: 'operator', port: 443 };

/** Compiles the CRD of a kind. CEL rules are not checked. @throws {InvalidDefinitionError} for an invalid definition */
export const compiled = (kind: AnyKindDefinition): CustomResourceDefinition =>
  compileDefinition(kind, needsWebhook(kind) ? { conversion: ANYWHERE } : {});

/** Reads a CRD from a cluster; undefined when it is missing. */
export const tryInstalled = async (
  api: Pick<KubeApi, 'get'>,
  name: string,
): Promise<CustomResourceDefinition | undefined> =>
  (await tryGet(api, DEFINITIONS, { name })) as unknown as CustomResourceDefinition | undefined;
