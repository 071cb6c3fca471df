import { ApiError, InvariantError, isReconcileError, type ReconcileError } from '#lib/errors.ts';
import type { ApiObject, ApiResource, KubeApi, WatchEvent } from './api.ts';
import { Backoff } from './backoff.ts';
import { isExpired, needsList } from './stale.ts';
import type { Timers } from './timers.ts';

/** What a reflector fills. Called in order, never after `stop()`; its methods should not throw. */
export interface ReflectorSink {
  /** Everything there is, as of `resourceVersion`; what is not among the items is gone. */
  replace(items: readonly ApiObject[], resourceVersion: string): void;
  /** One change, or a bookmark: nothing happened up to its resource version. */
  event(event: WatchEvent): void;
}

/** What a reflector follows, where to, and on which clock. */
export interface ReflectorOptions {
  readonly api: Pick<KubeApi, 'list' | 'watch'>;
  readonly resource: ApiResource;
  /** @default all namespaces */
  readonly namespace?: string;
  readonly sink: ReflectorSink;
  readonly timers: Timers;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /**
   * Told of every failure but an expired resource version, and when the next attempt is due, in milliseconds from now (0 when
   * the stream goes on). `ApiError` with 401, 403 and 404 included: rights and definitions may still come. Must not throw.
   */
  readonly onError: (error: ReconcileError, retryInMs: number) => void;
  /**
   * Applied to every object on arrival, a page at a time, so that a big list is never in memory as a whole when only parts of
   * its objects are kept. If it throws, the object is passed on as it came and the error is reported.
   * @default the identity
   */
  readonly transform?: (object: ApiObject) => ApiObject;
  /** The most items in one page of a list, >= 1. @default 500 */
  readonly pageSize?: number;
}

/** Where a reflector is: JSON, for bug reports and for telling states apart. */
export interface ReflectorState {
  /** Where the next watch starts; absent when a list has to come first. */
  readonly resourceVersion?: string;
  /** Upper bound of the delay after the next failure, in milliseconds. */
  readonly nextBackoffMs: number;
}

/** A running list and watch. */
export interface Reflector {
  /** True once the sink has been filled for the first time; false when the reflector was stopped before. Never rejects. */
  readonly synced: Promise<boolean>;
  /**
   * Makes sure that the sink holds what was there at the moment of this call: ends the watch and lists anew. A list that has
   * not begun yet counts, one under way does not.
   *
   * @returns true when it does; false when the reflector was stopped before. Never rejects.
   */
  refresh(): Promise<boolean>;
  /** Its state at this moment; changes nothing. */
  inspect(): ReflectorState;
  /** Ends it: no request and no call of the sink afterwards. Resolves when nothing is under way. */
  stop(): Promise<void>;
}

/** How many items at a time: parsing 500 pods of common size takes some 15 ms, and the event loop must not stall. */
const DEFAULT_PAGE_SIZE = 500;

/** Back-off and its reset as in client-go's tools/cache/reflector.go. */
const BACKOFF = { baseMs: 800, maxMs: 30_000 };
const HEALTHY_MS = 120_000;

/** The server is asked to end a watch after 5 to 10 minutes, at random, as client-go asks it: spreads reconnections. */
const WATCH_SECONDS = { min: 300, max: 600 };

/** A server that ends watches at once, regularly, must not make us spin. */
const MIN_WATCH_SPACING_MS = 1000;

/** The longest that we wait because a server says so; a proxy's page about planned maintenance may ask for hours. */
const MAX_RETRY_AFTER_MS = 300_000;

const asReconcileError = (error: unknown, doing: string): ReconcileError =>
  isReconcileError(error)
    ? error
    : new InvariantError(`Cannot ${doing}: unexpected ${String(error)}`, { cause: error });

class ListWatch implements Reflector {
  readonly synced: Promise<boolean>;
  readonly #options: ReflectorOptions;
  readonly #stopping = new AbortController();
  readonly #backoff: Backoff;
  readonly #running: Promise<void>;
  readonly #settleSynced: (filled: boolean) => void;
  /** Where the next watch starts; undefined when a list has to come first. */
  #resourceVersion: string | undefined;
  /** Those who want a list that has not begun yet. */
  #waiting: ((fresh: boolean) => void)[] = [];
  /** Ends the watch under way. */
  #watching = new AbortController();

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#backoff = new Backoff({ ...BACKOFF, random: options.random });
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.synced = promise;
    this.#settleSynced = resolve;
    this.#running = this.#run();
  }

  async refresh(): Promise<boolean> {
    if (this.#stopped) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#waiting.push(resolve);
    this.#watching.abort();
    return promise;
  }

  inspect(): ReflectorState {
    const resourceVersion = this.#resourceVersion;
    return {
      ...(resourceVersion !== undefined && { resourceVersion }),
      nextBackoffMs: this.#backoff.boundMs,
    };
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#watching.abort();
    this.#settleSynced(false);
    await this.#running;
    this.#waiting.splice(0).forEach((settle) => settle(false));
  }

  get #stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #run(): Promise<void> {
    // The caller gets hold of the reflector before the first request is made.
    await Promise.resolve();
    while (!this.#stopped) await this.#pause(await this.#step());
  }

  /** One list or one watch. @returns how long to wait before the next, in milliseconds */
  async #step(): Promise<number> {
    try {
      if (this.#resourceVersion === undefined || this.#waiting.length > 0) {
        await this.#listFor(this.#waiting.splice(0));
        return 0;
      }
      return await this.#watch(this.#resourceVersion);
    } catch (error) {
      return this.#failed(error);
    }
  }

  async #listFor(waiting: readonly ((fresh: boolean) => void)[]): Promise<void> {
    try {
      await this.#list();
      waiting.forEach((settle) => settle(!this.#stopped));
    } catch (error) {
      this.#waiting.unshift(...waiting);
      throw error;
    }
  }

  async #list(): Promise<void> {
    const { api, resource, namespace, sink, pageSize: limit = DEFAULT_PAGE_SIZE } = this.#options;
    const { signal } = this.#stopping;
    const where = namespace === undefined ? {} : { namespace };
    const items: ApiObject[] = [];
    let page = await api.list(resource, { ...where, limit, signal });
    for (;;) {
      if (this.#stopped) return;
      for (const item of page.items) items.push(this.#transformed(item));
      if (page.continueToken === undefined) break;
      page = await api.list(resource, { ...where, limit, continueToken: page.continueToken, signal });
    }
    sink.replace(items, page.resourceVersion);
    this.#resourceVersion = page.resourceVersion;
    this.#settleSynced(true);
  }

  async #watch(resourceVersion: string): Promise<number> {
    const { api, resource, namespace, timers, random } = this.#options;
    const startedAt = timers.now();
    const timeoutSeconds = WATCH_SECONDS.min + Math.floor(random() * (WATCH_SECONDS.max - WATCH_SECONDS.min + 1));
    const where = namespace === undefined ? {} : { namespace };
    this.#watching = new AbortController();
    try {
      const options = { ...where, resourceVersion, timeoutSeconds, signal: this.#watching.signal };
      await api.watch(resource, options, (event) => this.#deliver(event));
    } finally {
      if (timers.now() - startedAt >= HEALTHY_MS) this.#backoff.reset();
    }
    if (this.#waiting.length > 0) return 0;
    const spacingMs = MIN_WATCH_SPACING_MS - (timers.now() - startedAt);
    return Math.min(MIN_WATCH_SPACING_MS, Math.max(0, spacingMs));
  }

  #deliver(event: WatchEvent): void {
    if (this.#stopped) return;
    if (event.type === 'BOOKMARK') {
      this.#resourceVersion = event.resourceVersion;
    } else {
      this.#resourceVersion = event.object.metadata.resourceVersion;
    }
    try {
      const object = event.type === 'BOOKMARK' ? undefined : this.#transformed(event.object);
      this.#options.sink.event(event.type === 'BOOKMARK' || object === undefined ? event : { ...event, object });
    } catch (error) {
      this.#report(this.#bug(`handle a ${event.type} event of`, error), 0);
    }
  }

  #transformed(object: ApiObject): ApiObject {
    const { transform } = this.#options;
    if (transform === undefined) return object;
    try {
      return transform(object);
    } catch (error) {
      this.#report(this.#bug('transform an object of', error), 0);
      return object;
    }
  }

  #bug(doing: string, error: unknown): InvariantError {
    return new InvariantError(`Cannot ${doing} ${this.#options.resource.plural}: ${String(error)}`, { cause: error });
  }

  #report(error: ReconcileError, retryInMs: number): void {
    if (!this.#stopped) this.#options.onError(error, retryInMs);
  }

  /** Decides how to go on after a failure. @returns how long to wait, in milliseconds */
  #failed(error: unknown): number {
    if (needsList(error)) this.#resourceVersion = undefined;
    const askedMs = error instanceof ApiError ? Math.min(error.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS) : 0;
    const delayMs = askedMs + this.#backoff.next();
    if (!isExpired(error)) this.#report(asReconcileError(error, `follow ${this.#options.resource.plural}`), delayMs);
    return delayMs;
  }

  async #pause(delayMs: number): Promise<void> {
    if (delayMs <= 0 || this.#stopped) return;
    const { signal } = this.#stopping;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.timers.setTimer(delayMs, resolve);
    const stop = (): void => resolve();
    signal.addEventListener('abort', stop);
    await promise;
    signal.removeEventListener('abort', stop);
    cancel();
  }
}

/**
 * Keeps a sink equal to a resource on the server: lists it, then follows its changes.
 *
 * **Flow**: list in pages → `sink.replace` → watch from the list's resource version, with bookmarks → `sink.event` for each
 * event → when the watch ends, watch again from the last resource version seen in an event or bookmark.
 *
 * **Guarantees**: a resource version that is too old (410), a refused one, and an expired page start a list from scratch; after
 * any other failure the watch resumes where it was, and the sink keeps what it has. Attempts after failures are 0.8 s to 30 s
 * apart at most (doubled, full jitter) and never earlier than the server asks for (up to 5 minutes); a watch that lasted 2 minutes resets that. It
 * never gives up. An event that the sink throws on counts as delivered; a list that it throws on is made again.
 *
 * **Assumptions**: `api` ends a list or watch when its signal aborts.
 *
 * **Caveats**: the sink may see an object's state again, and only the latest of several states between a watch and the list after
 * it. A half-open connection is noticed no sooner than `api` notices it: the HTTP client, half a minute after the watch's agreed
 * end.
 *
 * @example
 * const reflector = startReflector({ api, resource, sink, timers: systemTimers, random: Math.random, onError: log });
 * await reflector.synced;
 * await reflector.stop();
 */
export const startReflector = (options: ReflectorOptions): Reflector => new ListWatch(options);
