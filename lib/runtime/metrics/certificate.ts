import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createAuthority, issueCertificate, type KeyPair } from '#lib/conversion/certificate/certificate.ts';

const HOUR_MS = 3_600_000;
/** The validity of the certificate is ten years, because the certificate is not renewed while the process runs. */
const VALID_MS = 10 * 365 * 24 * HOUR_MS;

/**
 * Makes a self-signed certificate for the metrics port, valid from one hour before `nowMs`. Scrapers cannot verify the
 * certificate, because each start makes a new one.
 *
 * @param host - the name of this process
 * @param nowMs - epoch milliseconds
 */
export const metricsCertificate = (host: string, nowMs: number): KeyPair => {
  // The clocks of scrapers may be behind.
  const validity = { from: new Date(nowMs - HOUR_MS), until: new Date(nowMs + VALID_MS) };
  const { certificate, key } = createAuthority(`${host} metrics`.slice(0, 64), validity);
  const authority = { certificate: new X509Certificate(certificate), key: createPrivateKey(key) };
  return issueCertificate(authority, { hosts: [host], validity });
};
