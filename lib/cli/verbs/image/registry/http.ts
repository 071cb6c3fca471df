import { EnvHttpProxyAgent, fetch, type RequestInit, type Response, RetryAgent } from 'undici';
import { ConfigurationError } from '#lib/errors.ts';

/** The error when a host does not respond. */
export class UnreachableError extends ConfigurationError {}

/** Sends HTTP requests. `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` apply. */
export interface Http {
  /** Sends a request. @throws {UnreachableError} when there is no response */
  send(url: URL, init?: RequestInit): Promise<Response>;
  /**
   * Reads a body.
   *
   * @param maxBytes - limit after decompression. @default {@link MAX_DOCUMENT_BYTES}
   * @throws {UnreachableError} when the connection breaks
   * @throws {ConfigurationError} when the body is larger than the limit; the rest is not read
   */
  read(response: Response, maxBytes?: number): Promise<Buffer>;
  /** Closes idle connections, which would delay the end of the process. */
  close(): Promise<void>;
}

/**
 * Limit for manifests, indexes, tokens and error messages: the size of manifests that every registry should accept.
 *
 * @see https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#pushing-manifests
 */
const MAX_DOCUMENT_BYTES = 4 * 2 ** 20;

/** Reads a body up to a limit. An error ends the loop, which closes the connection. */
const readUpTo = async ({ url, body }: Response, maxBytes: number): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > maxBytes)
      throw new ConfigurationError(
        `Cannot use the response of ${new URL(url).host}: ${new URL(url).pathname} has more than ${maxBytes} bytes; check the name`,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** Codes of temporary errors, after which a request is repeated. A host without an address, for example, is not temporary. */
const PASSING = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

const reasonOf = (error: unknown): string => {
  const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
  return cause?.code ?? cause?.message ?? (error as Error).message;
};

/**
 * Creates a client. GET and HEAD requests are repeated at most twice, after a broken connection or a response 429, 502, 503 or
 * 504.
 */
export const createHttp = (signal?: AbortSignal): Http => {
  const agent = new EnvHttpProxyAgent({ connect: { timeout: 10_000 }, headersTimeout: 60_000, bodyTimeout: 60_000 });
  const dispatcher = new RetryAgent(agent, {
    maxRetries: 2,
    minTimeout: 500,
    maxTimeout: 5000,
    methods: ['GET', 'HEAD'],
    statusCodes: [429, 502, 503, 504],
    errorCodes: PASSING,
    throwOnError: false,
  });
  const reached = async <T>(host: string, attempt: Promise<T>): Promise<T> => {
    try {
      return await attempt;
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ConfigurationError) throw error;
      throw new UnreachableError(
        `Cannot reach ${host}: ${reasonOf(error)}; check the network, and HTTPS_PROXY if there is a proxy`,
        { cause: error },
      );
    }
  };
  return {
    send: (url, init = {}) =>
      reached(url.host, fetch(url, { ...init, dispatcher, ...(signal === undefined ? {} : { signal }) })),
    read: (response, maxBytes = MAX_DOCUMENT_BYTES) =>
      reached(new URL(response.url).host, readUpTo(response, maxBytes)),
    close: () => agent.close(),
  };
};
