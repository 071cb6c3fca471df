import { X509Certificate } from 'node:crypto';
import type { CertificateAuthority } from '#lib/desired/result/desired.ts';
import { ApiError } from '#lib/errors.ts';
import { isPlainObject, memberOf } from '#lib/json.ts';
import type { ApiObject, KubeApi } from '#lib/kube/interface/api.ts';
import { again, type EffectAttempt } from './attempt.ts';

const core = { apiVersion: 'v1', scope: 'Namespaced' } as const;
const ConfigMap = { ...core, kind: 'ConfigMap', plural: 'configmaps' } as const;
const Secret = { ...core, kind: 'Secret', plural: 'secrets' } as const;

/** The usual key of a certificate authority: cert-manager, trust-manager and Kubernetes use it. */
const DEFAULT_KEY = 'ca.crt';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

const isCertificate = (pem: string): boolean => {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
};

/** The certificates in a key of a ConfigMap or Secret; undefined if there are none, or if one of them is invalid. */
const certificatesIn = (
  object: ApiObject,
  { secretName, key = DEFAULT_KEY }: CertificateAuthority,
): string | undefined => {
  const data = isPlainObject(object['data']) ? memberOf(object['data'], key) : undefined;
  if (typeof data !== 'string') return undefined;
  const text = secretName === undefined ? data : Buffer.from(data, 'base64').toString('latin1');
  const certificates = text.match(CERTIFICATE) ?? [];
  return certificates.length > 0 && certificates.every(isCertificate) ? certificates.join('\n') : undefined;
};

/**
 * The result for an authority that cannot be used. The status does not show the details, because the details would show a reader
 * of the status which objects and keys exist.
 */
const unusable = (detail: string): EffectAttempt => again('CertificateAuthorityUnusable', detail);

const explain = (error: unknown): EffectAttempt => {
  const status = error instanceof ApiError ? error.httpStatus : undefined;
  if (status === 404) return unusable('CertificateAuthorityNotFound');
  return again(status === 403 ? 'CertificateAuthorityForbidden' : 'CertificateAuthorityUnavailable');
};

/**
 * Reads the certificates of the authorities for a server from a ConfigMap or a Secret of a namespace, with a live get. A change
 * therefore takes effect with the next request. The Secret can have any type, such as those of cert-manager, because no request
 * contains its content.
 *
 * @returns certificates in PEM, or why there are none: `CertificateAuthorityUnusable`, `CertificateAuthorityForbidden` (no right
 * to `get` the object), `CertificateAuthorityUnavailable`
 */
export const readAuthority = async (
  api: KubeApi,
  { namespace, authority }: { readonly namespace: string; readonly authority: CertificateAuthority },
): Promise<string | EffectAttempt> => {
  const { configMapName, secretName } = authority;
  const target = { namespace, name: configMapName ?? secretName ?? '' };
  try {
    const object = await api.get(configMapName === undefined ? Secret : ConfigMap, target);
    return certificatesIn(object, authority) ?? unusable('InvalidCertificateAuthority');
  } catch (error) {
    return explain(error);
  }
};
