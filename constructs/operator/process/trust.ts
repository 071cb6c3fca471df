import type { EnvVar, Volume, VolumeMount } from 'kubernetes-types/core/v1.js';

/** A key of a ConfigMap or Secret in the namespace of the operator. One of the two names is required. */
export interface TrustProps {
  /** A ConfigMap, such as a bundle of trust-manager. */
  readonly configMapName?: string;
  /** A Secret, instead of a ConfigMap. */
  readonly secretName?: string;
  /** The key whose value is certificates in PEM. @default 'ca.crt' */
  readonly key?: string;
}

const FOLDER = '/var/run/trust';
const FILE = 'ca.crt';

interface Trusting {
  readonly trust: TrustProps | undefined;
}

/** Sets `NODE_EXTRA_CA_CERTS` if `trust` is set. Node.js reads the variable at its start. */
export const trustEnv = ({ trust }: Trusting): EnvVar[] =>
  trust ? [{ name: 'NODE_EXTRA_CA_CERTS', value: `${FOLDER}/${FILE}` }] : [];

/** Mounts the folder of the CA certificates, if `trust` is set. */
export const trustMounts = ({ trust }: Trusting): VolumeMount[] =>
  trust ? [{ name: 'trust', mountPath: FOLDER, readOnly: true }] : [];

/**
 * Declares the volume of the CA certificates, if `trust` is set. The volume is not optional, so a pod does not start without
 * the certificates.
 */
export const trustVolumes = ({ trust }: Trusting): Volume[] => {
  if (!trust) return [];
  const { configMapName: name, secretName, key = FILE } = trust;
  const items = [{ key, path: FILE }];
  if (name !== undefined) return [{ name: 'trust', configMap: { name, items } }];
  return secretName === undefined ? [] : [{ name: 'trust', secret: { secretName, items } }];
};
