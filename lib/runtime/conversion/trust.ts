import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { DEFINITIONS } from '#lib/kube/client/definitions.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import { FIELD_MANAGER } from './settings.ts';

const memberOf = (value: unknown, name: string): JsonObject => {
  const member = isPlainObject(value) ? value[name] : undefined;
  return isPlainObject(member) ? member : {};
};

/** The Service in a definition. */
export interface ServiceName {
  readonly name: string;
  readonly namespace: string;
}

/** The Service of the webhook of a definition, and the CA bundle to trust. */
export interface WebhookTrust {
  readonly service: ServiceName;
  /** The certificates of the authorities, in PEM. */
  readonly bundle: string;
}

/** Whether a definition names our Service. If not, `found` is the Service that it names; empty if it names none. */
export type TrustOutcome = { readonly isOurs: true } | { readonly isOurs: false; readonly found: ServiceName };

const nameIn = (service: JsonObject): ServiceName => {
  const { name, namespace } = service;
  return {
    name: typeof name === 'string' ? name : '',
    namespace: typeof namespace === 'string' ? namespace : '',
  };
};

/**
 * Writes the authority of the webhook's certificate into a definition.
 *
 * Guarantees: does not change a definition that names another Service, and does not write a definition that is correct already.
 * The write is bound to the observed resource version.
 *
 * @param name - the name of the definition, such as `webs.app.example.com`
 * @throws {ApiError} with status 409 when the definition has changed since it was read; the caller should then try again
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
