import type { ServerEvent, ServerRequest, ServerResponse, WatchRequest } from '#lib/apiserver/machinery/request.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { HttpAnswer, HttpRequest } from '#lib/kube/interface/http.ts';
import type { VirtualTransport, WatchTerms } from '#lib/sim/world/api/transport.ts';
import type { Outside } from './outside.ts';
import { connectionLost, type Pending } from './pending.ts';
import { PendingHttp } from './pending-http.ts';
import { PendingRequest } from './pending-request.ts';
import { PendingWatch } from './pending-watch.ts';

/** What a link needs of its surroundings. */
export interface LinkOptions {
  /** Host of the link. */
  readonly host: string;
  readonly server: ApiServer;
  readonly outside: Outside;
  readonly elapsedMs: () => number;
  /** Counts everything that is put on its way, in the whole cluster. */
  readonly since: () => number;
  /** Called with everything that the process receives, just before it does. */
  readonly heard: (what: unknown) => void;
}

/** One host's way to the server, and to the world outside. Everything on it waits until a schedule lets it happen. */
export class Link implements VirtualTransport {
  readonly #options: LinkOptions;
  readonly #requests = new Set<PendingRequest>();
  readonly #watches = new Set<PendingWatch>();
  readonly #http = new Set<PendingHttp>();
  #isHeard = true;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** What is on its way. */
  get pending(): Pending[] {
    return [...this.#requests, ...this.#watches, ...this.#http];
  }

  /** When the first watch ends by itself, in milliseconds since the start; Infinity without any. */
  get nextEndMs(): number {
    return Math.min(Infinity, ...[...this.#watches].map(({ endsAtMs }) => endsAtMs));
  }

  /** True while a watch brings nothing although the server thinks it does. */
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

  /** Sends a request to the outside, as `HttpPerformer`. Aborting does not recall it; it may still arrive. */
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

  /** The process has ended: it hears nothing any more, but what it sent may still arrive. */
  hangUp(): void {
    this.#isHeard = false;
    for (const watch of this.#watches) watch.close();
    for (const request of this.#requests) if (!request.isOnItsWay) this.#requests.delete(request);
    for (const request of this.#http) if (!request.isOnItsWay) this.#http.delete(request);
  }
}
