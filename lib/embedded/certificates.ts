import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createAuthority, issueCertificate } from '#lib/conversion/certificate/certificate.ts';

/** The certificate of an HTTPS server, and the authority that its clients trust, in PEM. */
export interface ServerCertificates {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

const NAMES = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc', '127.0.0.1', '::1'];

/**
 * Creates a certificate authority and a server certificate, both valid for one year.
 *
 * @param host - the address on which the server listens
 */
export const createCertificates = (host: string, now: Date): ServerCertificates => {
  const validity = { from: new Date(now.getTime() - HOUR_MS), until: new Date(now.getTime() + YEAR_MS) };
  const authority = createAuthority('cdk8s-reconcile embedded cluster', validity);
  const issuer = { certificate: new X509Certificate(authority.certificate), key: createPrivateKey(authority.key) };
  const hosts = [...new Set([...NAMES, host])];
  const { certificate, key } = issueCertificate(issuer, { hosts, validity });
  return { ca: authority.certificate, certificate, key };
};
