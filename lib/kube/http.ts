/** A request to a server other than the API server. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  /** The address came out of a Secret: of it nothing but the origin may be told. */
  readonly isUrlSecret?: true;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** What comes after so many bytes of the answer's body is not read. */
  readonly maxBytes: number;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** An answer, whatever its status. */
export interface HttpAnswer {
  readonly status: number;
  /** UTF-8, cut. */
  readonly body: string;
  /** Where a redirect leads. */
  readonly location?: string;
}

/**
 * Sends one request, and follows no redirect. The HTTP client implements it; a simulation can, too.
 *
 * Rejects with `ConnectionError` when no answer came, for any reason; its message names neither URL nor headers.
 */
export type HttpPerformer = (request: HttpRequest) => Promise<HttpAnswer>;
