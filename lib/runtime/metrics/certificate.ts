import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createAuthority, issueCertificate, type KeyPair } from '#lib/conversion/certificate/certificate.ts';

const HOUR_MS = 3_600_000;
/** The validity of the certificate. It is longer than any process runs. */
const VALID_MS = 10 * 365 * 24 * HOUR_MS;

/**
 * A self-signed certificate for the metrics port, so that tokens are encrypted on the network. The certificate is made at each
 * start and kept in memory, so scrapers cannot verify it.
 *
 * @param host - the name of this process
 * @param nowMs - epoch milliseconds
 */
export const metricsCertificate = (host: string, nowMs: number): KeyPair => {
  // The validity begins an hour ago, because the clocks of scrapers may be slow.
  const validity = { from: new Date(nowMs - HOUR_MS), until: new Date(nowMs + VALID_MS) };
  const { certificate, key } = createAuthority(`${host} metrics`.slice(0, 64), validity);
  const authority = { certificate: new X509Certificate(certificate), key: createPrivateKey(key) };
  return issueCertificate(authority, { hosts: [host], validity });
};
