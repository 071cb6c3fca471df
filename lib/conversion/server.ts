import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { ConfigurationError } from '#lib/errors.ts';
import type { KindShape } from '#lib/kind/shape.ts';
import { CONVERSION_PATH } from '#lib/kind/versions/webhook.ts';
import type { Logger } from '#lib/telemetry/log.ts';
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

/** Objects have 1.5 MB at most as etcd takes them, and a list comes whole. */
const MAX_BYTES = 64 * 1024 * 1024;
const REQUEST_TIMEOUT_MS = 30_000;

const bodyOf = async (request: IncomingMessage): Promise<string | undefined> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const say = (response: ServerResponse, status: number, text: string): void => {
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' });
  response.end(`${text}\n`);
};

const send = (response: ServerResponse, answer: object): void => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answer));
};

const respond = async (
  { shapes, log, guard = (call) => call() }: ConversionServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  if (request.url?.split('?')[0] !== CONVERSION_PATH) return say(response, 404, 'not found');
  if (request.method !== 'POST') return say(response, 405, 'only POST is allowed');
  const text = await bodyOf(request);
  if (text === undefined) return say(response, 413, `a review has at most ${MAX_BYTES} bytes`);
  try {
    const review: unknown = JSON.parse(text);
    const answer = guard(() => answerReview(shapes, review));
    const { result } = answer.response;
    if (result.status === 'Failure') log.warn({ reason: result.message }, 'cannot convert');
    return send(response, answer);
  } catch (error) {
    if (error instanceof SyntaxError) return say(response, 400, 'the body is no JSON');
    if (error instanceof MalformedReviewError) return say(response, 400, error.message);
    log.warn({ error }, 'cannot answer a review');
    return say(response, 500, 'a function of a kind did not return');
  }
};

/**
 * Serves the webhook that converts objects between versions.
 *
 * Flow: the API server posts a ConversionReview over TLS → every object is converted → one answer, or one failure for all.
 *
 * Guarantees: whatever is sent, the process goes on; it reads no more than 64 MiB and waits no longer than 30 s.
 *
 * Assumptions: anybody who reaches the port may ask: an answer tells nothing that was not in the question. A network policy is
 * to let nobody but the API server in.
 *
 * @throws {ConfigurationError} when the port is taken or forbidden
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-conversion
 */
export const startConversionServer = async (options: ConversionServerOptions): Promise<ConversionServer> => {
  const server = createServer({ minVersion: 'TLSv1.2', requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    respond(options, request, response).catch(() => response.destroy());
  });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.once('error', (cause: NodeJS.ErrnoException) => {
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
