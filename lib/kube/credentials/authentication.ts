/** The settings of a TLS connection to the API server. PEM text or bytes; absent members mean Node's defaults. */
export interface TlsMaterial {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  /** The server name to send and to verify, if it differs from the host of the URL. */
  readonly servername?: string;
  /** False only where a kubeconfig has `insecure-skip-tls-verify`. */
  readonly rejectUnauthorized?: boolean;
}

/**
 * The identity of one request. Immutable: after a change there is a new object, and when only headers change, `tls` stays the
 * same object, so that its identity (`===`) shows which connections are still valid.
 */
export interface Authentication {
  /** `authorization` and impersonation headers. Secret: never log them. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly tls: TlsMaterial;
}

/**
 * A server and the identity to use with it.
 *
 * **Flow**: `authenticate()` before every request; `renew()` after a 401 or with an untrusted server, then `authenticate()`
 * again.
 *
 * **Guarantees**: `authenticate()` and `renew()` never reject; when new credentials are not available they keep the old ones.
 *
 * **Caveats**: rotation is detected by reading the files at an interval, not by watching them, because Kubernetes swaps
 * symbolic links under mounted files.
 */
export interface Credentials {
  /** URL of the API server without a trailing slash; it may have a path. */
  readonly server: string;
  /** The namespace of requests that name none. */
  readonly namespace: string;
  /** Where the credentials come from, for messages: `in-cluster` or the kubeconfig's path and context. */
  readonly source: string;
  authenticate(): Promise<Authentication>;
  renew(): Promise<void>;
}
