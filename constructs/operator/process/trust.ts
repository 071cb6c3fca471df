import type { EnvVar, Volume, VolumeMount } from 'kubernetes-types/core/v1.js';

/**
 * CA certificates in one key of a ConfigMap or of a Secret in the namespace of the operator. Exactly one of the two names is
 * set.
 */
export interface TrustProps {
  /** A ConfigMap, such as a bundle of trust-manager. */
  readonly configMapName?: string;
  /** A Secret, instead of a ConfigMap. */
  readonly secretName?: string;
  /** The key whose value has the certificates, in PEM. @default 'ca.crt' */
  readonly key?: string;
}

const FOLDER = '/var/run/trust';
const FILE = 'ca.crt';

interface Trusting {
  readonly trust: TrustProps | undefined;
}

/** Returns the environment variable `NODE_EXTRA_CA_CERTS`, which Node.js reads at its start; empty without `trust`. */
export const trustEnv = ({ trust }: Trusting): EnvVar[] =>
  trust ? [{ name: 'NODE_EXTRA_CA_CERTS', value: `${FOLDER}/${FILE}` }] : [];

/** Returns the mount of the volume with the CA certificates; empty without `trust`. */
export const trustMounts = ({ trust }: Trusting): VolumeMount[] =>
  trust ? [{ name: 'trust', mountPath: FOLDER, readOnly: true }] : [];

/**
 * Returns the volume with the CA certificates; empty without `trust`. The volume is not optional, so a pod does not start
 * without the certificates.
 */
export const trustVolumes = ({ trust }: Trusting): Volume[] => {
  if (!trust) return [];
  const { configMapName: name, secretName, key = FILE } = trust;
  const items = [{ key, path: FILE }];
  if (name !== undefined) return [{ name: 'trust', configMap: { name, items } }];
  return secretName === undefined ? [] : [{ name: 'trust', secret: { secretName, items } }];
};
