import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { DEFINITIONS } from '#lib/kube/client/definitions.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import { FIELD_MANAGER } from './settings.ts';

const memberOf = (value: unknown, name: string): JsonObject => {
  const member = isPlainObject(value) ? value[name] : undefined;
  return isPlainObject(member) ? member : {};
};

/** The Service that the webhook settings of a CustomResourceDefinition name. */
export interface ServiceName {
  readonly name: string;
  readonly namespace: string;
}

/** The Service of the conversion webhook, and the CA bundle for its certificate. */
export interface WebhookTrust {
  readonly service: ServiceName;
  /** The CA certificates, in PEM. */
  readonly bundle: string;
}

/**
 * Whether the CustomResourceDefinition names the Service of this operator. `found` is the Service that it names; name and
 * namespace are empty if it names none.
 */
export type TrustOutcome = { readonly isOurs: true } | { readonly isOurs: false; readonly found: ServiceName };

const nameIn = (service: JsonObject): ServiceName => {
  const { name, namespace } = service;
  return {
    name: typeof name === 'string' ? name : '',
    namespace: typeof namespace === 'string' ? namespace : '',
  };
};

/**
 * Writes the CA bundle of the conversion webhook into a CustomResourceDefinition.
 *
 * Guarantees: does not write if the CustomResourceDefinition names another Service, or has this CA bundle already.
 *
 * @param name - the name of the CustomResourceDefinition, such as `webs.app.example.com`
 * @throws {ApiError} of the get or the patch; status 409 when the CustomResourceDefinition changed after the get
 */
export const trustIn = async (api: KubeApi, name: string, { service, bundle }: WebhookTrust): Promise<TrustOutcome> => {
  const definition = await api.get(DEFINITIONS, { name });
  const clientConfig = memberOf(memberOf(memberOf(definition['spec'], 'conversion'), 'webhook'), 'clientConfig');
  const found = nameIn(memberOf(clientConfig, 'service'));
  if (found.name !== service.name || found.namespace !== service.namespace) return { isOurs: false, found };
  const caBundle = Buffer.from(bundle).toString('base64');
  if (clientConfig['caBundle'] === caBundle) return { isOurs: true };
  const { resourceVersion } = definition.metadata;
  const patch = { metadata: { resourceVersion }, spec: { conversion: { webhook: { clientConfig: { caBundle } } } } };
  await api.patch(DEFINITIONS, { name }, patch, { type: 'merge', fieldManager: FIELD_MANAGER });
  return { isOurs: true };
};
