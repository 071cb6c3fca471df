import { ConnectionError } from '#lib/errors.ts';

/**
 * The reason why TLS with a server failed: its certificate was not accepted, or the server has no TLS (`TlsFailed`). In these
 * cases, no part of the request was sent.
 */
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
  /** Present when the URL comes from a Secret. Logs may contain only the origin of such a URL. */
  readonly isUrlSecret?: true;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /**
   * Certificates of the only authorities that are trusted for this server, in PEM.
   *
   * @default the authorities that the process trusts
   */
  readonly authority?: string;
  /** The longest part of the response body that is read, in bytes. */
  readonly maxBytes: number;
  /** Aborts the request. */
  readonly signal: AbortSignal;
}

/** A response with any status code. */
export interface HttpAnswer {
  readonly status: number;
  /** The body as UTF-8, up to the limit. */
  readonly body: string;
  /** Present when the response was longer than the part that was read. */
  readonly isCut?: true;
  /** The header `location`, which is the target of a redirect. */
  readonly location?: string;
}

/** The error for a server with a certificate that was not accepted, or without TLS. */
export class TlsError extends ConnectionError {
  readonly fault: TlsFault;

  constructor(fault: TlsFault) {
    super(`No answer (${fault})`);
    this.fault = fault;
  }
}

/**
 * Sends one request, and follows no redirect. The HTTP client implements this type, and a simulation can replace it.
 *
 * Rejects with `ConnectionError` if there is no response, or with its subclass {@link TlsError}. The message contains neither the
 * URL nor headers.
 */
export type HttpPerformer = (request: HttpRequest) => Promise<HttpAnswer>;
