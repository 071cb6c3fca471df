import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { createCertificates } from '../certificates.ts';
import type { ClusterIdentity } from './data-file-format.ts';

/** Age at which a certificate is replaced, in milliseconds. A certificate is valid for a year. */
const RENEWAL_MS = 300 * 24 * 3_600_000;

const isUsable = ({ ca, certificate, key, certifiedAt }: ClusterIdentity, host: string): boolean => {
  try {
    const read = new X509Certificate(certificate);
    const isForHost = (isIP(host) === 0 ? read.checkHost(host) : read.checkIP(host)) !== undefined;
    const isWhole = read.checkIssued(new X509Certificate(ca)) && read.checkPrivateKey(createPrivateKey(key));
    return Date.now() - certifiedAt < RENEWAL_MS && isForHost && isWhole;
  } catch {
    return false;
  }
};

/**
 * Returns the tokens and certificates of a cluster. A stored token and a stored secret are used again. Stored certificates are
 * used again if they are valid for the host and younger than 300 days; otherwise, new certificates are created.
 *
 * @param host - the address on which the cluster listens
 */
export const identityFor = (host: string, stored: ClusterIdentity | undefined): ClusterIdentity => {
  if (stored && isUsable(stored, host)) return stored;
  const now = new Date();
  const adminToken = stored?.adminToken ?? randomBytes(24).toString('base64url');
  const secret = stored?.secret ?? randomBytes(32).toString('base64');
  return { adminToken, secret, ...createCertificates(host, now), certifiedAt: now.getTime() };
};
