import { isPlainObject, type JsonObject } from '#lib/kind/json.ts';
import type { KubeApi } from '#lib/kube/api.ts';
import { DEFINITIONS } from '#lib/kube/definitions.ts';

const FIELD_MANAGER = 'cdk8s-reconcile-conversion';

const memberOf = (value: unknown, name: string): JsonObject => {
  const member = isPlainObject(value) ? value[name] : undefined;
  return isPlainObject(member) ? member : {};
};

/** Who is found by a definition, and whom it is to trust. */
export interface Trust {
  readonly service: { readonly name: string; readonly namespace: string };
  /** Authorities, in PEM. */
  readonly bundle: string;
}

/**
 * Tells the API server which authority signs the certificate of our webhook.
 *
 * Guarantees: a definition whose webhook is another Service is left alone, and one that is right already is not written.
 *
 * @param name - of the definition, such as `webs.app.example.com`
 */
export const trustIn = async (api: KubeApi, name: string, { service, bundle }: Trust): Promise<void> => {
  const definition = await api.get(DEFINITIONS, { name });
  const clientConfig = memberOf(memberOf(memberOf(definition['spec'], 'conversion'), 'webhook'), 'clientConfig');
  const found = memberOf(clientConfig, 'service');
  if (found['name'] !== service.name || found['namespace'] !== service.namespace) return;
  const caBundle = Buffer.from(bundle).toString('base64');
  if (clientConfig['caBundle'] === caBundle) return;
  const patch = { spec: { conversion: { webhook: { clientConfig: { caBundle } } } } };
  await api.patch(DEFINITIONS, { name }, patch, { type: 'merge', fieldManager: FIELD_MANAGER });
};
