import { type Dispatcher, errors, Pool } from 'undici';
import type { TlsMaterial } from '#lib/kube/credentials/authentication.ts';

/** `request`: short answers over a bounded pool. `watch`: streams, each holds a connection for minutes. */
export type ConnectionUse = 'request' | 'watch';

/**
 * How long an idle connection is kept, in milliseconds. Shorter than kube-apiserver (90 s: IdleTimeout in apiserver's
 * pkg/server/secure_serving.go) and common load balancers (60 s) keep it, so that no request is sent on a connection that is
 * being closed.
 */
const IDLE_TIMEOUT_MS = 45_000;

/** When TCP starts to probe a silent connection, in milliseconds: as client-go's transport. */
const TCP_KEEP_ALIVE_MS = 30_000;

/** How long a connection may take to be made, TLS included, in milliseconds, unless an answer may take less: undici's default. */
const CONNECT_TIMEOUT_MS = 10_000;

/** How many connections there may be, and how long one may take to be made. */
export interface ConnectionsOptions {
  /** The maximum number of connections for requests, >= 1; watches are not limited. */
  readonly limit: number;
  /** Milliseconds in which an answer must come; no connection takes longer, either. */
  readonly timeoutMs: number;
}

/**
 * The connections to one server, HTTP/1.1, kept alive.
 *
 * HTTP/2 is off on purpose: watches, lists and writes would share one TCP connection, and all of them would hang with it.
 *
 * **Flow**: {@link Connections.to} returns the dispatcher for a use and TLS material; when the material is a new object, new
 * connections replace the old ones, which end when their last response is complete.
 */
export class Connections {
  readonly #origin: string;
  readonly #limit: number;
  readonly #connectTimeoutMs: number;
  readonly #retired = new Set<Pool>();
  #tls: TlsMaterial | undefined;
  #pools: Record<ConnectionUse, Pool> | undefined;
  #closed = false;

  constructor(origin: string, { limit, timeoutMs }: ConnectionsOptions) {
    this.#origin = origin;
    this.#limit = limit;
    this.#connectTimeoutMs = Math.min(timeoutMs, CONNECT_TIMEOUT_MS);
  }

  /** @throws ClientClosedError of undici after {@link Connections.close} */
  to(use: ConnectionUse, tls: TlsMaterial): Dispatcher {
    if (this.#closed) throw new errors.ClientClosedError();
    if (this.#pools === undefined || tls !== this.#tls) {
      this.#retire();
      this.#tls = tls;
      this.#pools = { request: this.#open(tls, this.#limit), watch: this.#open(tls, null) };
    }
    return this.#pools[use];
  }

  /** Ends watches at once, requests when they are answered. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.all([
      this.#pools?.request.close(),
      this.#pools?.watch.destroy(),
      ...[...this.#retired].map((pool) => pool.destroy()),
    ]);
  }

  /** Aborts all running requests; later ones use new connections. */
  async abandon(): Promise<void> {
    const pools = [...Object.values(this.#pools ?? {}), ...this.#retired];
    this.#pools = undefined;
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  #open(tls: TlsMaterial, connections: number | null): Pool {
    return new Pool(this.#origin, {
      connections,
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: IDLE_TIMEOUT_MS,
      keepAliveMaxTimeout: IDLE_TIMEOUT_MS,
      // The library sets its own deadlines (deadline.ts): one per request, and none on the silence of a watch.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { ...tls, timeout: this.#connectTimeoutMs, keepAlive: true, keepAliveInitialDelay: TCP_KEEP_ALIVE_MS },
    });
  }

  #retire(): void {
    for (const pool of this.#pools === undefined ? [] : Object.values(this.#pools)) {
      this.#retired.add(pool);
      const forget = () => void this.#retired.delete(pool);
      pool.close().then(forget, forget);
    }
  }
}
