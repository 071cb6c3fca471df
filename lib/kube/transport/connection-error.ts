import { ConnectionError } from '#lib/errors.ts';
import type { TlsFault } from '#lib/kube/interface/http.ts';
import { isRecord } from '#lib/kube/interface/json.ts';

/** The meanings of error codes of Node.js and undici. */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection; is the API server running, and are address and port right?',
  ENOTFOUND: 'has a host name that cannot be resolved',
  EAI_AGAIN: 'has a host name that cannot be resolved at present',
  EHOSTUNREACH: 'cannot be reached from here',
  ENETUNREACH: 'cannot be reached from here',
  ETIMEDOUT: 'did not accept a connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'did not accept a connection in time',
  ECONNRESET: 'closed the connection before the answer was complete',
  EPIPE: 'closed the connection before the answer was complete',
  UND_ERR_SOCKET: 'closed the connection before the answer was complete',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'closed the connection before the answer was complete',
  UND_ERR_CLOSED: 'got no request: this client is closed',
  UND_ERR_DESTROYED: 'got no request: this client is closed',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for other names; check the address or set tls-server-name',
  CERT_HAS_EXPIRED: 'has an expired certificate',
};

/** The error codes of OpenSSL for an untrusted certificate: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const UNTRUSTED = /SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|CERT_UNTRUSTED|CERT_SIGNATURE_FAILURE|INVALID_CA/;

const codeOf = (error: unknown): string | undefined => {
  if (!isRecord(error)) return undefined;
  if (typeof error['code'] === 'string') return error['code'];
  return codeOf(error['cause']);
};

const FAULTS: Readonly<Record<string, TlsFault>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'CertificateForOtherName',
  CERT_HAS_EXPIRED: 'CertificateExpired',
  CERT_NOT_YET_VALID: 'CertificateNotYetValid',
  EPROTO: 'TlsFailed',
};

/** The problem of TLS, if there is one. A server of plain HTTP is `TlsFailed`. */
export const tlsFaultOf = (error: unknown): TlsFault | undefined => {
  const code = codeOf(error) ?? '';
  if (UNTRUSTED.test(code)) return 'UntrustedCertificate';
  return FAULTS[code] ?? (code.startsWith('ERR_SSL_') ? 'TlsFailed' : undefined);
};

/**
 * Whether a connection failed because no trusted authority signed the certificate of the server. In this case, no request was
 * sent.
 */
export const isUntrusted = (error: unknown): boolean => UNTRUSTED.test(codeOf(error) ?? '');

const explain = (error: unknown): string => {
  const code = codeOf(error);
  if (code !== undefined && isUntrusted(error)) {
    return `has a certificate that the given certificate authority did not sign (${code})`;
  }
  const explanation = code === undefined ? undefined : EXPLANATIONS[code];
  if (explanation !== undefined) return `${explanation} (${code})`;
  const text = error instanceof Error ? error.message : String(error);
  return `did not answer (${code === undefined ? text : `${code}: ${text}`})`;
};

/**
 * Makes an error for a request without a (complete) response.
 *
 * @param request - the request, such as `list pods`
 * @param server - the server's URL, without credentials
 * @param error - the error of the HTTP client; it becomes the cause
 */
export const errorOfConnection = (request: string, server: string, error: unknown): ConnectionError =>
  new ConnectionError(`Cannot ${request}: ${server} ${explain(error)}`, { cause: error });
