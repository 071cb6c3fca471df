import type { ServerEvent, ServerRequest, ServerResponse, WatchRequest } from '#lib/apiserver/machinery/request.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { HttpAnswer, HttpRequest } from '#lib/kube/interface/http.ts';
import type { VirtualTransport, WatchTerms } from '#lib/sim/world/api/transport.ts';
import type { Outside } from './outside.ts';
import { connectionLost, type Pending } from './pending.ts';
import { PendingHttp } from './pending-http.ts';
import { PendingRequest } from './pending-request.ts';
import { PendingWatch } from './pending-watch.ts';

/** Options for {@link Link}. */
export interface LinkOptions {
  readonly host: string;
  readonly server: ApiServer;
  readonly outside: Outside;
  readonly elapsedMs: () => number;
  /** Returns the next sequence number of a message. All messages in the cluster share the sequence. */
  readonly since: () => number;
  /** Called for every message that the process receives, just before the process receives it. */
  readonly heard: (what: unknown) => void;
}

/**
 * The connections of one host to the API server, and to the HTTP servers of the scenario. Each message waits until a step
 * delivers the message.
 */
export class Link implements VirtualTransport {
  readonly #options: LinkOptions;
  readonly #requests = new Set<PendingRequest>();
  readonly #watches = new Set<PendingWatch>();
  readonly #http = new Set<PendingHttp>();
  #isHeard = true;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  get pending(): Pending[] {
    return [...this.#requests, ...this.#watches, ...this.#http];
  }

  /** The earliest regular end of a watch, in milliseconds since the start; Infinity if there is no watch. */
  get nextEndMs(): number {
    return Math.min(Infinity, ...[...this.#watches].map(({ endsAtMs }) => endsAtMs));
  }

  /** Whether a watch delivers no events, although the server still considers the connection open. */
  get isSilent(): boolean {
    return [...this.#watches].some(({ isSilent }) => isSilent);
  }

  async request(request: ServerRequest): Promise<ServerResponse> {
    const { host, server, since, heard } = this.#options;
    return new Promise((resolve, reject) => {
      const done = (): void => void this.#requests.delete(pending);
      const around = { host, server, since, heard, isHeard: () => this.#isHeard, done };
      const pending = new PendingRequest(request, around, { resolve, reject });
      this.#requests.add(pending);
    });
  }

  async watch(request: WatchRequest, terms: WatchTerms, onEvent: (event: ServerEvent) => void): Promise<void> {
    const { timeoutSeconds, signal } = terms;
    return new Promise((resolve, reject) => {
      const done = (): void => void this.#watches.delete(pending);
      const watcher = { onEvent, resolve, reject, timeoutMs: timeoutSeconds * 1000 };
      const pending = new PendingWatch(request, { ...this.#options, done }, watcher);
      const stop = (): void => {
        pending.close();
        resolve();
      };
      this.#watches.add(pending);
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
    });
  }

  /** Sends an HTTP request of an effect, as `HttpPerformer` does. An aborted request may still arrive. */
  async http(request: HttpRequest): Promise<HttpAnswer> {
    const { host, outside, since, heard } = this.#options;
    const { signal } = request;
    return new Promise((resolve, reject) => {
      const done = (): void => void this.#http.delete(pending);
      const isHeard = (): boolean => this.#isHeard && !signal.aborted;
      const around = { crossing: outside.send(host, request), since, heard, isHeard, done };
      const pending = new PendingHttp(around, { resolve, reject });
      const giveUp = (): void => {
        if (!pending.isOnItsWay) done();
        reject(connectionLost(pending.words));
      };
      this.#http.add(pending);
      signal.addEventListener('abort', giveUp, { once: true });
      if (signal.aborted) giveUp();
    });
  }

  /**
   * Called when the process has ended. The process receives no further messages, but requests that it has sent may still arrive.
   */
  hangUp(): void {
    this.#isHeard = false;
    for (const watch of this.#watches) watch.close();
    for (const request of [...this.#requests, ...this.#http]) request.abandon();
  }
}
