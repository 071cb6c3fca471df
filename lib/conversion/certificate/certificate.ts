import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import { bits, context, derSet, derText, identifier, integer, octets, sequence, time, yes } from './der.ts';

/** A certificate and its private key, in PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** The parsed certificate and the private key of a certificate authority. */
export interface Authority {
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
}

/** The start and the end of the validity of a certificate. */
export interface CertificateValidity {
  readonly from: Date;
  readonly until: Date;
}

const ECDSA_WITH_SHA256 = sequence(identifier('1.2.840.10045.4.3.2'));

/** The object identifiers of RFC 5280 that these certificates use. */
const OID = {
  commonName: '2.5.4.3',
  subjectKey: '2.5.29.14',
  keyUsage: '2.5.29.15',
  otherNames: '2.5.29.17',
  constraints: '2.5.29.19',
  authorityKey: '2.5.29.35',
  extendedUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
} as const;

const nameOf = (commonName: string): Buffer =>
  sequence(derSet(sequence(identifier(OID.commonName), derText(commonName))));

const extension = (oid: string, isCritical: boolean, value: Uint8Array): Buffer =>
  sequence(identifier(oid), ...(isCritical ? [yes] : []), octets(value));

/** The identifier of a key, which distinguishes authorities with the same name. Any hash is valid: RFC 5280, 4.2.1.2. */
const keyIdentifier = (publicKey: KeyObject): Buffer =>
  createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest()
    .subarray(0, 20);

interface Unsigned {
  readonly issuer: string;
  readonly subject: string;
  readonly validity: CertificateValidity;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

/** A random serial number. A serial number must be positive and unique, and have at most 20 bytes: RFC 5280, 4.1. */
const serialNumber = (): Buffer => {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return integer(bytes);
};

const pem = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`;

const signed = ({ issuer, subject, validity, publicKey, extensions }: Unsigned, key: KeyObject): string => {
  const body = sequence(
    context(0, false, integer(Buffer.from([2]))),
    serialNumber(),
    ECDSA_WITH_SHA256,
    nameOf(issuer),
    sequence(time(validity.from), time(validity.until)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    context(3, false, sequence(...extensions)),
  );
  return pem(sequence(body, ECDSA_WITH_SHA256, bits(sign('sha256', body, key))));
};

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

const keyPem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

/**
 * Key usages as bit strings of RFC 5280, 4.2.1.3. In the byte of keyCertSign, the last two bits are unused; in the byte of
 * digitalSignature, the last seven.
 */
const KEY_CERT_SIGN = bits(Buffer.from([0b0000_0100]), 2);
const DIGITAL_SIGNATURE = bits(Buffer.from([0b1000_0000]), 7);

/**
 * Makes a certificate authority: a P-256 key and a self-signed certificate. The authority cannot sign certificates of other
 * authorities.
 *
 * @param commonName - the name of the authority, which distinguishes it from other authorities in logs
 */
export const createAuthority = (commonName: string, validity: CertificateValidity): KeyPair => {
  const { publicKey, privateKey } = newKeys();
  const extensions = [
    extension(OID.constraints, true, sequence(yes, integer(Buffer.from([0])))),
    extension(OID.keyUsage, true, KEY_CERT_SIGN),
    extension(OID.subjectKey, false, octets(keyIdentifier(publicKey))),
  ];
  const certificate = signed({ issuer: commonName, subject: commonName, validity, publicKey, extensions }, privateKey);
  return { certificate, key: keyPem(privateKey) };
};

const commonNameOf = ({ subject }: X509Certificate): string => /^CN=(.*)$/m.exec(subject)?.[1] ?? '';

/** The bytes of an IPv4 address, or of an IPv6 address without a zone. */
const addressBytes = (address: string): Buffer => {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  // The `URL` parser writes dotted parts as hexadecimal words, letters in lower case, and the longest run of zero words as `::`.
  const [left = '', right] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [before, after] = [left, right ?? ''].map((half) => half.split(':').filter((word) => word !== ''));
  const zeros = Array.from({ length: 8 - (before?.length ?? 0) - (after?.length ?? 0) }, () => '0');
  const words = [...(before ?? []), ...zeros, ...(after ?? [])];
  return Buffer.from(words.map((word) => word.padStart(4, '0')).join(''), 'hex');
};

/** An alternative name of a server: an IP address as bytes, or a DNS name as text (RFC 5280, 4.2.1.6). */
const alternativeName = (host: string): Buffer =>
  isIP(host) === 0 ? context(2, true, Buffer.from(host)) : context(7, true, addressBytes(host));

/**
 * Makes a P-256 key and a server certificate for it.
 *
 * @param hosts - DNS names and IP addresses; the first 64 characters of the first entry are the common name
 */
export const issueCertificate = (
  { certificate: issuer, key }: Authority,
  { hosts, validity }: { readonly hosts: readonly string[]; readonly validity: CertificateValidity },
): KeyPair => {
  const { publicKey, privateKey } = newKeys();
  const names = hosts.map(alternativeName);
  const extensions = [
    extension(OID.keyUsage, true, DIGITAL_SIGNATURE),
    extension(OID.extendedUsage, false, sequence(identifier(OID.serverAuth))),
    extension(OID.otherNames, false, sequence(...names)),
    extension(OID.authorityKey, false, sequence(context(0, true, keyIdentifier(issuer.publicKey)))),
  ];
  // A common name has at most 64 characters. Clients no longer verify the common name.
  const subject = (hosts[0] ?? '').slice(0, 64);
  const unsigned = { issuer: commonNameOf(issuer), subject, validity, publicKey, extensions };
  return { certificate: signed(unsigned, key), key: keyPem(privateKey) };
};

/** The certificates in a PEM text. Invalid certificates and other content are ignored. */
export const readCertificates = (bundle: string): readonly X509Certificate[] =>
  (bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).flatMap((each) => {
    try {
      return [new X509Certificate(each)];
    } catch {
      return [];
    }
  });
