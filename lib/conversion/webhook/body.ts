import type { IncomingMessage, ServerResponse } from 'node:http';
import { holdsMoreThan } from '#lib/conversion/values.ts';

/**
 * The limit for all request bodies together, in bytes. The thread of conversions has a heap of 128 MiB. The thread holds each
 * request four times: as text, as objects, as converted objects, and as the text of the response.
 */
const MAX_BYTES = 16 * 1024 * 1024;
/**
 * The limits of one request. A million values take about 60 MiB of heap when parsed, and again when converted. Objects with many
 * field managers have about sixteen bytes per value. Schemas of this library are nested a few dozen levels deep.
 */
const LIMITS = { values: 1_000_000, depth: 1000 };
const RETRY_AFTER_S = '1';
/** The time in which a refused client can read the response, before the connection is closed, in milliseconds. */
const LINGER_MS = 2000;

/**
 * Time after which an incomplete body may be refused in favor of other requests, in milliseconds. Bodies from the API server
 * arrive much faster.
 */
const SLOW_MS = 2000;

/** The response to a request with a refused body. */
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

/** A complete body. */
export interface Body {
  readonly text: string;
  /** Callers must call this function when they no longer use the body. */
  readonly done: () => void;
}

/** The bodies of all requests without a response so far, and their total size. */
export class Bodies {
  readonly #now: () => number;
  #bytes = 0;
  /** For each incomplete body, a function that refuses the body, and its start time; oldest first. */
  readonly #arriving = new Map<() => void, number>();

  /** @param now - returns milliseconds of a monotonic clock */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Reads a body. The size of the body counts towards the common limit until the response is closed and `done` is called. This
   * rule also applies after the client has disconnected. After a refusal, the rest of the body is dropped and does not count.
   * After two seconds, the webhook may refuse an incomplete body, to keep another request within the common limit.
   *
   * @throws {Error} when the connection breaks before the body is complete
   */
  async read(request: IncomingMessage, response: ServerResponse): Promise<Body | BodyRefusal> {
    if (isDeclaredTooLarge(request)) return TOO_LARGE;
    const { promise, resolve, reject } = Promise.withResolvers<Body | BodyRefusal>();
    let chunks: Buffer[] | undefined = [];
    let size = 0;
    let isInUse = false;
    const release = (): void => {
      this.#arriving.delete(giveWay);
      this.#bytes -= size;
      [chunks, size] = [undefined, 0];
    };
    const giveWay = (): void => {
      resolve(BUSY);
      release();
    };
    this.#arriving.set(giveWay, this.#now());
    const done = (): void => {
      isInUse = false;
      if (response.closed) release();
    };
    request.on('data', (chunk: Buffer) => {
      if (chunks === undefined) return;
      chunks.push(chunk);
      size += chunk.length;
      this.#bytes += chunk.length;
      if (size > MAX_BYTES) resolve(TOO_LARGE);
      else this.#makeRoom(giveWay);
      if (this.#bytes > MAX_BYTES) giveWay();
    });
    request.once('end', () => {
      this.#arriving.delete(giveWay);
      if (chunks === undefined) return;
      const body = Buffer.concat(chunks);
      if (holdsMoreThan(body, LIMITS)) return resolve(TOO_MANY);
      isInUse = true;
      resolve({ text: body.toString('utf8'), done });
    });
    request.once('close', () => reject(new Error('the connection broke')));
    response.once('close', () => {
      if (!isInUse) release();
    });
    return promise;
  }

  /** Refuses other bodies that arrive too slowly, the oldest first, until the total size is within the limit. */
  #makeRoom(own: () => void): void {
    const slowSince = this.#now() - SLOW_MS;
    for (const [giveWay, since] of this.#arriving) {
      if (this.#bytes <= MAX_BYTES || since > slowSince) return;
      if (giveWay !== own) giveWay();
    }
  }
}

/**
 * Responds at once, reads and drops the rest of the request, and then closes the connection, after two seconds at most. If the
 * rest were not read, the connection would be reset before the client has the response.
 */
export const refuseBody = (request: IncomingMessage, response: ServerResponse, { status, text }: BodyRefusal): void => {
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
