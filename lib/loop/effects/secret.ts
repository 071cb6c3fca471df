import { type AllowedHosts, splitHosts } from '#lib/desired/hosts/allowed-hosts.ts';
import { ApiError } from '#lib/errors.ts';
import { isPlainObject, memberOf } from '#lib/json.ts';
import type { ApiObject, KubeApi } from '#lib/kube/interface/api.ts';
import { again, type EffectAttempt } from './attempt.ts';

const Secret = { apiVersion: 'v1', kind: 'Secret', plural: 'secrets', scope: 'Namespaced' } as const;

/** The type of Secrets that effects may use. Without a required type, a resource could send any Secret of its namespace. */
const SECRET_TYPE = 'cdk8s-reconcile/http-credentials';

/**
 * The annotation of a Secret of the type {@link SECRET_TYPE} with the hosts that may receive its content, separated by commas.
 */
export const HOSTS_ANNOTATION = 'cdk8s-reconcile/allowed-hosts';

/** The content of a Secret that was read for one request. */
export interface HttpSecret {
  /** @returns the text of a key; `undefined` if the key is missing or is not valid UTF-8 */
  read(key: string): string | undefined;
  readonly allowedHosts: AllowedHosts;
}

/**
 * The result for a Secret that cannot be used. The status does not contain the details, because a reader of the status may lack
 * the right to read Secrets.
 *
 * @param detail - the reason, for the log
 */
export const unusableSecret = (detail: string): EffectAttempt => again('SecretUnusable', detail);

const textOf = (encoded: unknown): string | undefined => {
  if (typeof encoded !== 'string') return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64')).trim();
  } catch {
    return undefined;
  }
};

const secretOf = (object: ApiObject): HttpSecret => {
  const data = isPlainObject(object['data']) ? object['data'] : {};
  const { annotations } = object.metadata as { readonly annotations?: Readonly<Record<string, string>> };
  return {
    read: (key) => textOf(memberOf(data, key)),
    allowedHosts: splitHosts(memberOf(annotations, HOSTS_ANNOTATION) ?? ''),
  };
};

const explain = (error: unknown): EffectAttempt => {
  if (!(error instanceof ApiError)) return again('SecretUnavailable');
  if (error.httpStatus === 404) return unusableSecret('SecretNotFound');
  return again(error.httpStatus === 403 ? 'SecretForbidden' : 'SecretUnavailable');
};

/**
 * Reads a Secret of a namespace with a live get. Neither the Secret nor its content is kept.
 *
 * @returns the Secret, or why it cannot be used: `SecretUnusable`, `SecretForbidden` (no right to `get` it), `SecretUnavailable`
 */
export const readSecret = async (
  api: KubeApi,
  target: { readonly namespace: string; readonly name: string },
): Promise<HttpSecret | EffectAttempt> => {
  try {
    const object = await api.get(Secret, target);
    return object['type'] === SECRET_TYPE ? secretOf(object) : unusableSecret('WrongSecretType');
  } catch (error) {
    return explain(error);
  }
};
