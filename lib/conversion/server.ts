import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { ConfigurationError } from '#lib/errors.ts';
import type { KindShape } from '#lib/kind/shape.ts';
import { CONVERSION_PATH } from '#lib/kind/versions/webhook.ts';
import type { Logger } from '#lib/telemetry/log.ts';
import { Bodies, refuse } from './body.ts';
import { tellable } from './error.ts';
import { answerReview, MalformedReviewError } from './review.ts';

/** The certificate of a server and its key, in PEM. */
export interface ServerCertificate {
  readonly cert: string;
  readonly key: string;
}

/** What is served, and where. */
export interface ConversionServerOptions {
  /** TCP port; 0 takes a free one. */
  readonly port: number;
  /** The kinds that have several versions. */
  readonly shapes: readonly KindShape[];
  readonly log: Pick<Logger, 'warn'>;
  /** Calls a function of a kind, and ends it when it hangs. @default calls it */
  readonly guard?: <R>(call: () => R) => R;
}

/** A running webhook. */
export interface ConversionServer {
  readonly port: number;
  /** New connections see this one. Before the first one nobody can connect. */
  use(certificate: ServerCertificate): void;
  close(): Promise<void>;
}

/** Enough for many replicas of the API server, each with many requests; a connection costs some 100 KiB. */
const MAX_CONNECTIONS = 128;
const REQUEST_TIMEOUT_MS = 30_000;
const HANDSHAKE_TIMEOUT_MS = 10_000;
const CHECK_INTERVAL_MS = 5000;
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

const send = (response: ServerResponse, answer: object): void => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answer));
};

const review = (
  { shapes, log, guard = (call) => call() }: ConversionServerOptions,
  text: string,
  response: ServerResponse,
): void => {
  try {
    const body: unknown = JSON.parse(text);
    const answer = guard(() => answerReview(shapes, body));
    const { result } = answer.response;
    if (result.status === 'Failure') log.warn({ reason: result.message }, 'cannot convert');
    return send(response, answer);
  } catch (error) {
    if (error instanceof SyntaxError) return say(response, 400, 'the body is no JSON');
    if (error instanceof MalformedReviewError) return say(response, 400, error.message);
    log.warn({ reason: tellable(error) }, 'cannot answer a review');
    return say(response, 500, 'a function of a kind did not return');
  }
};

/** What is served, and what reads it. */
interface Serving {
  readonly options: ConversionServerOptions;
  readonly bodies: Bodies;
}

const respond = async (
  { options, bodies }: Serving,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  if (request.url?.split('?')[0] !== CONVERSION_PATH) return say(response, 404, 'not found');
  if (request.method !== 'POST') return say(response, 405, 'only POST is allowed');
  const text = await bodies.read(request, response);
  return typeof text === 'string' ? review(options, text, response) : refuse(request, response, text);
};

/**
 * Serves the webhook that converts objects between versions.
 *
 * Flow: the API server posts a ConversionReview over TLS → every object is converted → one answer, or one failure for all.
 *
 * Guarantees: All requests together hold no more than 16 MiB of what was sent, and each no more than a
 * million values: who sends more alone gets 413, who meets others gets 503 with Retry-After. It has no more than 128 connections, and
 * waits no longer than 30 s.
 *
 * Assumptions: anybody who reaches the port may ask, as the API server shows no certificate unless it is configured to. An answer
 * tells nothing that was not in the question.
 *
 * Caveats: the network policy of `Operator` opens this port to everybody, as the address from which the API server comes is not
 * known. Whoever is let in can keep it busy, within these bounds. They are made for the heap of 179 MiB that `Operator` sets by
 * default; a function of a kind that keeps several copies of what it converts may need more.
 *
 * @throws {ConfigurationError} when the port is taken or forbidden
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-conversion
 */
export const startConversionServer = async (options: ConversionServerOptions): Promise<ConversionServer> => {
  const serving: Serving = { options, bodies: new Bodies() };
  const server = createServer(SERVER_OPTIONS, (request, response) => {
    respond(serving, request, response).catch(() => response.destroy());
  });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(REQUEST_TIMEOUT_MS);
  // Not once: a server may fail to accept a connection later, as when there are no more file descriptors.
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
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
};
