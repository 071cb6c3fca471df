import { type Dispatcher, errors, Pool } from 'undici';
import type { TlsMaterial } from '#lib/kube/credentials/authentication.ts';

/** `request`: short responses, over a limited pool. `watch`: streams, each of which uses a connection for minutes. */
export type ConnectionUse = 'request' | 'watch';

/**
 * The time after which an idle connection is closed, in milliseconds. kube-apiserver closes idle connections after 90 s
 * (IdleTimeout in apiserver's pkg/server/secure_serving.go), and common load balancers after 60 s. The time is shorter, so that
 * no request is sent on a connection that the other side is closing.
 */
const IDLE_TIMEOUT_MS = 45_000;

/** The time after which TCP probes a silent connection, in milliseconds, as in client-go's transport. */
const TCP_KEEP_ALIVE_MS = 30_000;

/**
 * The time limit for opening a connection, TLS included, in milliseconds, as in undici. If the time limit of a response is
 * shorter, that limit applies.
 */
const CONNECT_TIMEOUT_MS = 10_000;

/** Options of {@link Connections}. */
export interface ConnectionsOptions {
  /** The maximum number of connections for requests, >= 1; watches are not limited. */
  readonly limit: number;
  /** The time limit of a response, in milliseconds. The limit also applies to the opening of a connection. */
  readonly timeoutMs: number;
}

/**
 * The connections to one server: HTTP/1.1, kept alive.
 *
 * HTTP/2 is not used. With HTTP/2, watches, lists and writes would share one TCP connection, and would all hang when that
 * connection hangs.
 *
 * **Flow**: {@link Connections.to} returns the dispatcher for a use and TLS settings. When the settings are a new object, new
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

  /** Ends watches at once, and requests after their responses. Aborts requests over replaced connections. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.all([
      this.#pools?.request.close(),
      this.#pools?.watch.destroy(),
      ...[...this.#retired].map((pool) => pool.destroy()),
    ]);
  }

  /** Aborts all running requests. Later requests use new connections. */
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
      // This library has its own time limits (deadline.ts): one per request, and none for the silence of a watch.
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
