import { createPrivateKey, type KeyObject, randomBytes, type X509Certificate } from 'node:crypto';
import {
  type Authority,
  type CertificateValidity,
  createAuthority,
  issueCertificate,
  readCertificates,
} from './certificate.ts';

/**
 * The certificate and key of a server, and the certificates and key of its CA, in PEM. These are the data of a Secret of type
 * `kubernetes.io/tls`.
 */
export interface Certificates {
  readonly 'tls.crt': string;
  readonly 'tls.key': string;
  /** The certificates of all authorities that may still be in use, the newest first. */
  readonly 'ca.crt': string;
  /** The key of the newest authority. */
  readonly 'ca.key': string;
}

/** Options of {@link renewed}. */
export interface RenewalOptions {
  readonly now: Date;
  /** The DNS names of the server. */
  readonly hosts: readonly string[];
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const AUTHORITY_DAYS = 730;
const CERTIFICATE_DAYS = 90;
/** Time from the start of the validity of a certificate to its creation. The clocks of clients may be slow by this time. */
const LEEWAY_MS = HOUR_MS;
/** The time for which an authority is published before it signs a certificate, and after its last certificate is out of use. */
const OVERLAP_MS = DAY_MS;

const validityFrom = (now: Date, days: number): CertificateValidity => ({
  from: new Date(now.getTime() - LEEWAY_MS),
  until: new Date(now.getTime() + days * DAY_MS),
});

const tryKey = (pem: string | undefined): KeyObject | undefined => {
  try {
    return pem === undefined ? undefined : createPrivateKey(pem);
  } catch {
    return undefined;
  }
};

const ageMs = ({ validFromDate }: X509Certificate, now: Date): number =>
  now.getTime() - validFromDate.getTime() - LEEWAY_MS;

/** Whether two thirds of the validity are over. In the last third, users can notice that the renewal fails. */
const isOld = (certificate: X509Certificate, now: Date): boolean => {
  const { validFromDate: from, validToDate: to } = certificate;
  return now.getTime() > from.getTime() + ((to.getTime() - from.getTime()) * 2) / 3;
};

const isValid = ({ validFromDate, validToDate }: X509Certificate, now: Date): boolean =>
  validFromDate <= now && now < validToDate;

interface Authorities {
  /** All valid authorities, the newest first. */
  readonly all: readonly X509Certificate[];
  readonly newest: Authority;
}

const createNewest = (now: Date): Authority => {
  const name = `cdk8s-reconcile ${randomBytes(4).toString('hex')}`;
  const { certificate, key } = createAuthority(name, validityFrom(now, AUTHORITY_DAYS));
  const [read] = readCertificates(certificate);
  if (read === undefined) throw new TypeError('Cannot read the certificate that was just made');
  return { certificate: read, key: createPrivateKey(key) };
};

const authoritiesOf = (stored: Partial<Certificates>, now: Date): Authorities => {
  const known = readCertificates(stored['ca.crt'] ?? '').filter((each) => isValid(each, now));
  const key = tryKey(stored['ca.key']);
  const [first] = known;
  if (first && key && first.checkPrivateKey(key) && !isOld(first, now))
    return { all: known, newest: { certificate: first, key } };
  const newest = createNewest(now);
  return { all: [newest.certificate, ...known], newest };
};

/** The stored certificate, if it is valid for the hosts and signed by a known authority. */
const usable = (
  stored: Partial<Certificates>,
  { all }: Authorities,
  { now, hosts }: RenewalOptions,
): X509Certificate | undefined => {
  const [certificate] = readCertificates(stored['tls.crt'] ?? '');
  const key = tryKey(stored['tls.key']);
  if (!certificate || !key || !certificate.checkPrivateKey(key) || !isValid(certificate, now)) return undefined;
  const isKnown = all.some((each) => certificate.verify(each.publicKey));
  return isKnown && hosts.every((host) => certificate.checkHost(host) !== undefined) ? certificate : undefined;
};

/** Keeps the newest authority, and the authorities of certificates that may still be in use. */
const inUse = ({ all, newest }: Authorities, certificate: X509Certificate, now: Date): readonly X509Certificate[] =>
  all.filter(
    (each) =>
      each.fingerprint256 === newest.certificate.fingerprint256 ||
      certificate.verify(each.publicKey) ||
      ageMs(certificate, now) < OVERLAP_MS,
  );

/**
 * Computes the certificates to use from now on.
 *
 * Flow: a certificate is valid for 90 days, and is replaced after 60 days. A CA is valid for 730 days, and is replaced after 487
 * days. A new CA is published one day before it signs certificates, unless a certificate must be replaced immediately. The old CA
 * is removed one day after its last certificate is no longer used. A certificate that is missing, damaged, expired, for another
 * name, or from an unknown CA is replaced immediately.
 *
 * Guarantees: returns the same object when nothing changes.
 */
export const renewed = (stored: Partial<Certificates>, options: RenewalOptions): Certificates => {
  const { now, hosts } = options;
  const authorities = authoritiesOf(stored, now);
  const { newest } = authorities;
  const current = usable(stored, authorities, options);
  const isWanted = current === undefined || (isOld(current, now) && ageMs(newest.certificate, now) >= OVERLAP_MS);
  const pair = isWanted
    ? issueCertificate(newest, { hosts, validity: validityFrom(now, CERTIFICATE_DAYS) })
    : { certificate: stored['tls.crt'] ?? '', key: stored['tls.key'] ?? '' };
  const [certificate = newest.certificate] = readCertificates(pair.certificate);
  const bundle = inUse(authorities, certificate, now)
    .map((each) => each.toString())
    .join('');
  const key = newest.key.export({ type: 'pkcs8', format: 'pem' }).toString();
  const next: Certificates = { 'tls.crt': pair.certificate, 'tls.key': pair.key, 'ca.crt': bundle, 'ca.key': key };
  const isSame = Object.entries(next).every(([name, value]) => stored[name as keyof Certificates] === value);
  return isSame ? (stored as Certificates) : next;
};
