import type { ServerEvent, WatchRequest } from '#lib/apiserver/machinery/request.ts';
import type { ApiServer, OpenWatch } from '#lib/apiserver/machinery/server.ts';
import { expired } from '#lib/apiserver/machinery/status.ts';
import { ConnectionError } from '#lib/errors.ts';
import { watchFailure } from '#lib/sim/world/api/direct-transport.ts';
import { type FaultClass, faultStep, type WorldStep } from '#lib/sim/world/step/step.ts';
import { eventInWords } from '#lib/sim/world/step/wording.ts';
import { connectionLost, type Pending, type PendingSurroundings } from './pending.ts';

/** Options for {@link PendingWatch}. */
export interface WatchSurroundings extends PendingSurroundings {
  readonly host: string;
  readonly server: ApiServer;
  readonly elapsedMs: () => number;
}

/** The receiver of the events and of the end of a watch. */
export interface Watcher {
  readonly onEvent: (event: ServerEvent) => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  readonly timeoutMs: number;
}

/**
 * Time from the regular end of a silent watch until the client closes the connection, in milliseconds. `lib/kube` uses the same
 * time.
 */
const GRACE_MS = 30_000;

interface Arriving {
  readonly event: ServerEvent;
  readonly since: number;
  step?: WorldStep;
}

/** A watch, from its request to its end. */
export class PendingWatch implements Pending {
  readonly #request: WatchRequest;
  readonly #around: WatchSurroundings;
  readonly #watcher: Watcher;
  readonly #asked: number;
  #arriving: Arriving[] = [];
  #open: OpenWatch | undefined;
  #connection: WorldStep | undefined;
  #endsAtMs = Infinity;
  #isSilent = false;
  #isEnding = false;
  /** Number of events in transit that belong to the initial list of a watch-list. */
  #initial = 0;
  /** The resource version of the last bookmark. The server sends at most one bookmark for each version. */
  #bookmarked = '';

  constructor(request: WatchRequest, around: WatchSurroundings, watcher: Watcher) {
    this.#request = request;
    this.#around = around;
    this.#watcher = watcher;
    this.#asked = around.since();
  }

  get since(): number {
    return this.#arriving[0]?.since ?? this.#asked;
  }

  /** The regular end of the watch, in milliseconds since the start; Infinity before the watch is open. */
  get endsAtMs(): number {
    return this.#endsAtMs;
  }

  /** Whether the watch delivers no more events until its end. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  get words(): string {
    return `${this.#around.host} watch ${this.#request.resource.plural}`;
  }

  describe(): unknown {
    const arriving = this.#arriving.map(({ event }) => event);
    const state = this.#open === undefined ? 'asked' : this.#isSilent ? 'silent' : 'open';
    const endsInMs = this.#endsAtMs - this.#around.elapsedMs();
    return [this.#around.host, this.#request, state, endsInMs, { resourceVersion: this.#bookmarked }, arriving];
  }

  /** Closes the watch on the server, and removes the watch from its link. */
  close(): void {
    this.#open?.close();
    this.#around.done();
  }

  progress(): WorldStep | undefined {
    if (this.#open === undefined) return (this.#connection ??= this.#connecting());
    const [first] = this.#arriving;
    if (first !== undefined) return (first.step ??= this.#delivery(first));
    if (this.#around.elapsedMs() < this.#endsAtMs) return undefined;
    return this.#canBookmark() && !this.#isEnding ? this.#lastBookmark() : this.#ending();
  }

  others(): readonly WorldStep[] {
    const { plural } = this.#request.resource;
    const expires = (): undefined => this.#fail(watchFailure(expired('too old resource version'), plural));
    const breaks = (): undefined => this.#fail(connectionLost(`watch ${plural}`));
    if (this.#open === undefined) {
      return [this.#fault('request lost', 'request lost', breaks), this.#fault('watch expired', 'answer 410', expires)];
    }
    return [
      ...this.#bookmarkStep(),
      this.#fault('watch cut', 'watch cut', breaks),
      this.#fault('watch expired', 'watch expired', expires),
      ...(this.#isSilent ? [] : [this.#fault('watch silent', 'watch silent', () => this.#fallSilent())]),
      ...this.#coalescing(),
    ];
  }

  #connecting(): WorldStep {
    const { host } = this.#around;
    const label = `${host} → watch ${this.#request.resource.plural}`;
    // The process may close the watch before the server opens it, so the step touches the host, too.
    return { label, nature: 'progress', touches: { server: 'reads', host }, run: () => this.#connect() };
  }

  #connect(): string {
    const { server, elapsedMs, since } = this.#around;
    try {
      this.#open = server.watch(this.#request, (event) => {
        if (!this.#isSilent) this.#arriving.push({ event, since: since() });
      });
      this.#endsAtMs = elapsedMs() + this.#watcher.timeoutMs;
      if (this.#request.sendInitialEvents === true) this.#initial = this.#arriving.length;
      return 'open';
    } catch (error) {
      this.#fail(watchFailure(error, this.#request.resource.plural));
      return (error as Error).message;
    }
  }

  #delivery({ event }: Arriving): WorldStep {
    if (this.#initial > 0) return this.#initialDelivery();
    const { host } = this.#around;
    const label = `${host} ← ${eventInWords(event, this.#request.resource.plural)}`;
    return { label, nature: 'progress', touches: { host }, run: () => this.#deliver(event) };
  }

  /**
   * Delivers the whole initial list in one step. A part of the list has no effect, because the loop waits for the complete list.
   */
  #initialDelivery(): WorldStep {
    const { plural } = this.#request.resource;
    const { host } = this.#around;
    const label = `${host} ← all ${plural} (${this.#initial - 1})`;
    const run = (): undefined => {
      for (const { event } of this.#arriving.slice(0, this.#initial)) if (this.#initial > 0) this.#deliver(event);
      return undefined;
    };
    return { label, nature: 'progress', touches: { host }, run };
  }

  #deliver(event: ServerEvent): undefined {
    this.#initial = Math.max(0, this.#initial - 1);
    this.#arriving.shift();
    this.#around.heard([this.#request.resource, event]);
    try {
      this.#watcher.onEvent(event);
    } catch (error) {
      // The client throws for an ERROR event. The watch ends with this error.
      this.#fail(error);
    }
  }

  #ending(): WorldStep {
    const { host, heard } = this.#around;
    const { plural } = this.#request.resource;
    const run = (): undefined => {
      if (this.#isSilent) return this.#fail(new ConnectionError(`Cannot watch ${plural}: it was silent for too long`));
      this.close();
      heard([plural, 'ends']);
      this.#watcher.resolve();
      return undefined;
    };
    return { label: `${host} ← watch ${plural} ends`, nature: 'progress', run };
  }

  #fallSilent(): undefined {
    this.#isSilent = true;
    this.#initial = 0;
    this.#arriving = [];
    this.#endsAtMs += GRACE_MS;
  }

  #canBookmark(): boolean {
    return !this.#isSilent && this.#bookmarked !== this.#around.server.resourceVersion;
  }

  #bookmark(): undefined {
    this.#bookmarked = this.#around.server.resourceVersion;
    this.#open?.bookmark();
  }

  /**
   * The API server sends a bookmark shortly before a watch ends.
   *
   * @see k8s.io/apiserver v0.36.4 pkg/storage/cacher/cache_watcher.go (`nextBookmarkTime`)
   */
  #lastBookmark(): WorldStep {
    const label = `${this.#around.host} ← watch ${this.#request.resource.plural} nears its end`;
    const run = (): undefined => {
      this.#isEnding = true;
      return this.#bookmark();
    };
    return { label, nature: 'progress', run };
  }

  #bookmarkStep(): WorldStep[] {
    if (!this.#canBookmark()) return [];
    const label = `bookmark: ${this.#around.host} watch ${this.#request.resource.plural}`;
    return [{ label, nature: 'harmless', run: () => this.#bookmark() }];
  }

  /** The fault that drops the earlier of two undelivered changes of an object, so that only the later change arrives. */
  #coalescing(): WorldStep[] {
    const earlier = this.#arriving.findIndex(({ event }, index) => {
      if (event.type !== 'MODIFIED') return false;
      const { uid } = event.object.metadata;
      const later = this.#arriving.slice(index + 1).map((arriving) => arriving.event);
      return later.some((other) => other.type === 'MODIFIED' && other.object.metadata.uid === uid);
    });
    if (earlier === -1) return [];
    const run = (): undefined => {
      this.#arriving.splice(earlier, 1);
      return undefined;
    };
    return [this.#fault('events coalesced', 'events coalesced', run)];
  }

  #fault(fault: FaultClass, what: string, run: () => undefined): WorldStep {
    return faultStep(fault, `${what}: ${this.#around.host} watch ${this.#request.resource.plural}`, run);
  }

  #fail(error: unknown): undefined {
    this.close();
    this.#around.heard([this.#request.resource, String(error)]);
    this.#watcher.reject(error);
  }
}
