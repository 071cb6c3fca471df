import { ConnectionError } from '#lib/errors.ts';

/** Why a certificate was not accepted, or none was shown; nothing of the request was sent then. */
export type TlsFault =
  | 'UntrustedCertificate'
  | 'CertificateForOtherName'
  | 'CertificateExpired'
  | 'CertificateNotYetValid'
  | 'TlsFailed';

/** A request to a server other than the API server. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  /** The URL comes from a Secret; only its origin may be logged. */
  readonly isUrlSecret?: true;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The only certificates, in PEM, that may vouch for the server. @default those that the process trusts */
  readonly authority?: string;
  /** The limit of the body of the response, in bytes; the rest is not read. */
  readonly maxBytes: number;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** A response with any status. */
export interface HttpAnswer {
  readonly status: number;
  /** UTF-8, cut. */
  readonly body: string;
  /** The response was longer than the read part. */
  readonly isCut?: true;
  /** Where a redirect leads. */
  readonly location?: string;
}

/** A server with an untrusted certificate, or without TLS. */
export class TlsError extends ConnectionError {
  readonly fault: TlsFault;

  constructor(fault: TlsFault) {
    super(`No answer (${fault})`);
    this.fault = fault;
  }
}

/**
 * Sends one request, and follows no redirect. The HTTP client implements it; a simulation can, too.
 *
 * Rejects with `ConnectionError` without a response, for any reason, including {@link TlsError}; its message contains neither
 * URL nor headers.
 */
export type HttpPerformer = (request: HttpRequest) => Promise<HttpAnswer>;
