import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { ConfigurationError } from '#lib/errors.ts';
import { CONVERSION_PATH } from '#lib/kind/versions/webhook.ts';
import type { Logger } from '#lib/telemetry/log.ts';
import type { HttpReviewAnswer } from './answer.ts';
import { Bodies, refuseBody } from './body.ts';

/** The certificate of a server and its key, in PEM. */
export interface ServerCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Options of {@link startConversionServer}. */
export interface ConversionServerOptions {
  /** The TCP port; 0 for any free port. */
  readonly port: number;
  /**
   * Returns the response to the text of a ConversionReview. May skip the conversion if `isWanted` returns false. Never rejects.
   */
  readonly convert: (text: string, isWanted: () => boolean) => Promise<HttpReviewAnswer>;
  readonly log: Pick<Logger, 'warn'>;
}

/** A running webhook. */
export interface ConversionServer {
  readonly port: number;
  /** Sets the certificate for new connections. Before the first call, connections fail. */
  use(certificate: ServerCertificate): void;
  /** Stops accepting connections, and completes running requests. After two seconds, closes connections that are still open. */
  close(): Promise<void>;
}

/**
 * Maximum number of connections. The number suffices for many replicas of the API server with many requests each; a connection
 * takes 100 KiB.
 */
const MAX_CONNECTIONS = 128;
const REQUEST_TIMEOUT_MS = 30_000;
const HANDSHAKE_TIMEOUT_MS = 10_000;
const CHECK_INTERVAL_MS = 5000;
const DRAIN_MS = 2000;
const SERVER_OPTIONS: ServerOptions = {
  minVersion: 'TLSv1.2',
  requestTimeout: REQUEST_TIMEOUT_MS,
  handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
  connectionsCheckingInterval: CHECK_INTERVAL_MS,
};

const say = (response: ServerResponse, status: number, text: string): void => {
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' });
  response.end(`${text}\n`);
};

interface Serving {
  readonly options: ConversionServerOptions;
  readonly bodies: Bodies;
  readonly isClosing: () => boolean;
}

const review = async (
  { options: { convert, log }, isClosing }: Serving,
  text: string,
  response: ServerResponse,
): Promise<void> => {
  const { status, body, problem } = await convert(text, () => !response.closed);
  if (response.closed) return;
  if (problem !== undefined) log.warn({ reason: problem }, 'cannot convert');
  if (status !== 200) return say(response, status, body);
  response.writeHead(200, { 'content-type': 'application/json', ...(isClosing() && { connection: 'close' }) });
  response.end(body);
};

const respond = async (serving: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  if (request.url?.split('?')[0] !== CONVERSION_PATH) return say(response, 404, 'not found');
  if (request.method !== 'POST') return say(response, 405, 'only POST is allowed');
  const body = await serving.bodies.read(request, response);
  if ('status' in body) return refuseBody(request, response, body);
  return review(serving, body.text, response).finally(body.done);
};

/**
 * Serves the webhook that converts objects between versions.
 *
 * Flow: the API server posts a ConversionReview over TLS → the webhook converts every object → it responds with all objects, or
 * with one error for all of them.
 *
 * Guarantees: the bodies of all requests together have at most 16 MiB, and each request has at most a million values. A request
 * that alone exceeds a limit gets 413; a request that exceeds the common limit gets 503 with Retry-After. A body that takes more
 * than two seconds to arrive may be refused when another request would exceed the common limit. The webhook has at most 128
 * connections and a timeout of 30 s.
 *
 * Assumptions: any client that reaches the port may send requests, because the API server sends no client certificate by default.
 * A response contains only data from its request.
 *
 * Caveats: the network policy of `Operator` opens this port to all clients, because the address of the API server is unknown. Any
 * client can therefore keep the webhook busy within these limits. Within these limits, the webhook fits into the default heap of
 * the main thread (179 MiB, see `heapMiB`). The conversion functions run in their own thread, with a heap of 128 MiB
 * (`lib/runtime/conversion/converter.ts`). A function that keeps several copies of an object may exceed that heap.
 *
 * @throws {ConfigurationError} when the server cannot listen on the port, for example because another process uses it
 * @see
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-conversion
 */
export const startConversionServer = async (options: ConversionServerOptions): Promise<ConversionServer> => {
  let isClosing = false;
  const serving: Serving = { options, bodies: new Bodies(), isClosing: () => isClosing };
  const server = createServer(SERVER_OPTIONS, (request, response) => {
    respond(serving, request, response).catch(() => response.destroy());
  });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(REQUEST_TIMEOUT_MS);
  // `on` and not `once`: the server may also fail to accept a connection later, for example without free file descriptors.
  server.on('error', (cause: NodeJS.ErrnoException) => {
    const what = `Cannot listen on conversion port ${options.port}: ${cause.code ?? cause.message}`;
    reject(new ConfigurationError(`${what}; set CONVERSION_PORT to a free port`, { cause }));
  });
  server.listen(options.port, () => resolve((server.address() as AddressInfo).port));
  const port = await promise;
  return {
    port,
    use: (certificate) => server.setSecureContext({ ...certificate, minVersion: 'TLSv1.2' }),
    close: async () =>
      new Promise((closed) => {
        isClosing = true;
        const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
        server.close(() => {
          clearTimeout(cut);
          closed();
        });
      }),
  };
};
