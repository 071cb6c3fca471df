import type { ServerEvent, ServerRequest, ServerResponse, WatchRequest } from '#lib/sim/machinery/request.ts';
import type { ApiServer } from '#lib/sim/machinery/server.ts';
import type { Pending } from './pending.ts';
import { PendingRequest } from './pending-request.ts';
import { PendingWatch } from './pending-watch.ts';
import type { VirtualTransport, WatchTerms } from './transport.ts';

/** What a link needs of its surroundings. */
export interface LinkOptions {
  /** Whose link it is. */
  readonly host: string;
  readonly server: ApiServer;
  readonly elapsedMs: () => number;
  /** Counts everything that is put on its way, in the whole cluster. */
  readonly since: () => number;
  /** Told of everything that the process hears, just before it does. */
  readonly heard: (what: unknown) => void;
}

/** One host's way to the server. Everything on it waits until a schedule lets it happen. */
export class Link implements VirtualTransport {
  readonly #options: LinkOptions;
  readonly #requests = new Set<PendingRequest>();
  readonly #watches = new Set<PendingWatch>();
  #isHeard = true;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** What is on its way. */
  get pending(): Pending[] {
    return [...this.#requests, ...this.#watches];
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

  /** The process has ended: it hears nothing any more, but what it sent may still arrive. */
  hangUp(): void {
    this.#isHeard = false;
    for (const watch of this.#watches) watch.close();
    for (const request of this.#requests) if (!request.isOnItsWay) this.#requests.delete(request);
  }
}
