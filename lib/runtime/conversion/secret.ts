import { type Certificates, renewed } from '#lib/conversion/certificate/renewal.ts';
import { ApiError } from '#lib/errors.ts';
import { isPlainObject } from '#lib/json.ts';
import { tryGet } from '#lib/kube/client/missing.ts';
import type { ApiObject, ApiResource, KubeApi } from '#lib/kube/interface/api.ts';
import { FIELD_MANAGER } from './settings.ts';

const SECRETS: ApiResource = { apiVersion: 'v1', kind: 'Secret', plural: 'secrets', scope: 'Namespaced' };

/** The namespace and the name of a Secret. */
export interface SecretTarget {
  readonly name: string;
  readonly namespace: string;
}

const encoded = (certificates: Certificates): Record<string, string> =>
  Object.fromEntries(
    Object.entries(certificates).map(([name, text]: [string, string]) => [name, Buffer.from(text).toString('base64')]),
  );

const decoded = ({ data }: ApiObject): Partial<Certificates> =>
  isPlainObject(data)
    ? Object.fromEntries(
        Object.entries(data)
          .filter((entry): entry is [string, string] => typeof entry[1] === 'string')
          .map(([name, text]) => [name, Buffer.from(text, 'base64').toString('utf8')]),
      )
    : {};

/** Writes the certificates. Fails with 409 if another replica wrote first. */
const store = async (
  api: KubeApi,
  target: SecretTarget,
  { found, next }: { readonly found: ApiObject | undefined; readonly next: Certificates },
): Promise<void> => {
  const data = encoded(next);
  if (found) {
    const patch = { metadata: { resourceVersion: found.metadata.resourceVersion }, data };
    await api.patch(SECRETS, target, patch, { type: 'merge', fieldManager: FIELD_MANAGER });
    return;
  }
  // An apply with resource version "1" can only create. RBAC can limit a patch to one name, but not a POST.
  const metadata = { ...target, resourceVersion: '1' };
  const object = { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata, data };
  await api.apply(SECRETS, target, object, { fieldManager: FIELD_MANAGER, force: false });
};

/**
 * Reads the certificates that all replicas share in one Secret. Creates missing certificates, and renews certificates before
 * they expire.
 *
 * @param options - `now`: the time; `hosts`: the DNS names of the server
 * @throws {ApiError} other than a conflict with another replica, whose certificates are used
 */
export const certificatesIn = async (
  api: KubeApi,
  target: SecretTarget,
  options: { readonly now: Date; readonly hosts: readonly string[] },
): Promise<Certificates> => {
  const found = await tryGet(api, SECRETS, target);
  const stored = found ? decoded(found) : {};
  const next = renewed(stored, options);
  if (next === stored) return next;
  try {
    await store(api, target, { found, next });
    return next;
  } catch (error) {
    if (!(error instanceof ApiError && error.httpStatus === 409)) throw error;
    const winner = await tryGet(api, SECRETS, target);
    return winner ? renewed(decoded(winner), options) : next;
  }
};
