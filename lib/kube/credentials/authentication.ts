/** The settings of a TLS connection to the API server, as PEM text or bytes. Absent members mean the defaults of Node.js. */
export interface TlsMaterial {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  /** The server name to send and to verify, if it differs from the host of the URL. */
  readonly servername?: string;
  /**
   * Whether to verify the certificate of the server. False if the kubeconfig has `insecure-skip-tls-verify`, or if client-node
   * gets the credentials for a server of plain HTTP.
   */
  readonly rejectUnauthorized?: boolean;
}

/**
 * The identity of one request. The object is immutable; a change makes a new object. When only headers change, `tls` stays the
 * same object, so a comparison of `tls` by `===` shows which connections are still valid.
 */
export interface Authentication {
  /** The `authorization` header and the headers of an impersonation. These headers are secret and must not be logged. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly tls: TlsMaterial;
}

/**
 * An API server, and the identity for requests to it.
 *
 * **Flow**: `authenticate()` before every request; `renew()` after a 401 or with an untrusted server, then `authenticate()`
 * again.
 *
 * **Guarantees**: `authenticate()` and `renew()` never reject. If new credentials are not available, the old credentials are
 * used.
 *
 * **Caveats**: rotation is detected by reading the files at an interval. Watching the files would not work, because Kubernetes
 * swaps symbolic links under mounted files.
 */
export interface Credentials {
  /** URL of the API server without a trailing slash; it may have a path. */
  readonly server: string;
  /** The namespace of the pod, or of the context of the kubeconfig; `default` if it is not set. */
  readonly namespace: string;
  /** The source of the credentials, for messages: `in-cluster`, or the path and the context of a kubeconfig. */
  readonly source: string;
  authenticate(): Promise<Authentication>;
  renew(): Promise<void>;
}
