import type { IncomingMessage, ServerResponse } from 'node:http';
import { holdsMoreThan } from './values.ts';

/**
 * Bytes of all requests together. A container has a heap of some 180 MiB, and a review is there several times: as text, as objects,
 * converted, and as the text of the answer.
 */
const MAX_BYTES = 16 * 1024 * 1024;
/**
 * Of one request. A million values take some 60 MiB of heap once they are parsed, and are there again when they are converted; sixteen
 * bytes for each are what resources have that many managers write. No schema of ours is nested deeper than a few dozen levels.
 */
const LIMITS = { values: 1_000_000, depth: 1000 };
const RETRY_AFTER_S = '1';
/** How long a client that was refused may go on sending: it is to read the answer before the connection breaks. */
const LINGER_MS = 2000;

/** Why a body is not read. */
export interface BodyRefusal {
  readonly status: 413 | 503;
  readonly text: string;
}

const TOO_LARGE: BodyRefusal = { status: 413, text: `a review has at most ${MAX_BYTES} bytes` };
const TOO_MANY: BodyRefusal = {
  status: 413,
  text: `a review has at most ${LIMITS.values} values, in at most ${LIMITS.depth} levels`,
};
const BUSY: BodyRefusal = { status: 503, text: `reviews have at most ${MAX_BYTES} bytes together; try again` };

const isDeclaredTooLarge = ({ headers }: IncomingMessage): boolean =>
  Number(headers['content-length'] ?? 0) > MAX_BYTES;

/** The bodies of all requests that are not answered yet, and how much they hold. */
export class Bodies {
  #bytes = 0;

  /**
   * Reads a body. What it holds counts until the response is closed; a refused one holds nothing, and what else comes is dropped.
   *
   * @throws {Error} when the connection breaks first
   */
  async read(request: IncomingMessage, response: ServerResponse): Promise<string | BodyRefusal> {
    if (isDeclaredTooLarge(request)) return TOO_LARGE;
    const { promise, resolve, reject } = Promise.withResolvers<string | BodyRefusal>();
    let chunks: Buffer[] | undefined = [];
    let size = 0;
    const release = (): void => {
      this.#bytes -= size;
      [chunks, size] = [undefined, 0];
    };
    request.on('data', (chunk: Buffer) => {
      if (chunks === undefined) return;
      chunks.push(chunk);
      size += chunk.length;
      this.#bytes += chunk.length;
      if (this.#bytes <= MAX_BYTES) return;
      resolve(size > MAX_BYTES ? TOO_LARGE : BUSY);
      release();
    });
    request.once('end', () => {
      const body = Buffer.concat(chunks ?? []);
      resolve(holdsMoreThan(body, LIMITS) ? TOO_MANY : body.toString('utf8'));
    });
    request.once('close', () => reject(new Error('the connection broke')));
    response.once('close', release);
    return promise;
  }
}

/** Answers at once, drops what the client still sends, and then closes: data that nobody read would break the connection first. */
export const refuse = (request: IncomingMessage, response: ServerResponse, { status, text }: BodyRefusal): void => {
  const body = Buffer.from(`${text}\n`);
  const retry = status === BUSY.status ? { 'retry-after': RETRY_AFTER_S } : {};
  const headers = { 'content-type': 'text/plain', 'content-length': body.length, connection: 'close', ...retry };
  response.writeHead(status, headers).write(body);
  const timer = setTimeout(() => response.destroy(), LINGER_MS);
  response.once('close', () => clearTimeout(timer));
  if (request.readableEnded) response.end();
  else request.once('end', () => response.end());
  request.resume();
};
