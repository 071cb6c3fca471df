import { InvariantError, isReconcileError, type ReconcileError } from '#lib/errors.ts';
import type { ApiObject } from '#lib/kube/api.ts';
import { TooLargeError } from '#lib/kube/malformed.ts';
import { isExpired, needsList } from '#lib/kube/stale.ts';
import { Intake } from './intake.ts';
import { Pace } from './pace.ts';
import type { Reflector, ReflectorOptions, ReflectorState } from './types.ts';
import { WatchLists } from './watch-list.ts';
import { StalledError, Watching } from './watching.ts';

/** How many items at a time: parsing 250 pods of common size takes some 7 ms, and the event loop must not stall. */
const DEFAULT_PAGE_SIZE = 250;

/** By how much pages shrink when one was too large to be taken. */
const PAGE_DIVISOR = 8;

/** One and a half times the distance of bookmarks (apiserver's pkg/storage/cacher: defaultBookmarkFrequency). */
const DEFAULT_SILENCE_MS = 90_000;

/** The server is asked to end a watch after 5 to 10 minutes, at random, as client-go asks it: spreads reconnections. */
const WATCH_SECONDS = { min: 300, max: 600 };

type Settle = (done: boolean) => void;

class ListWatch implements Reflector {
  readonly synced: Promise<boolean>;
  readonly #options: ReflectorOptions;
  readonly #stopping = new AbortController();
  readonly #pace: Pace;
  readonly #intake: Intake;
  readonly #watchLists: WatchLists;
  readonly #running: Promise<void>;
  readonly #settleSynced: Settle;
  #pageSize: number;
  /** Where the next watch starts; undefined when everything has to be read first. */
  #resourceVersion: string | undefined;
  /** Those who want everything to be read from now on. */
  #waiting: Settle[] = [];
  #watching: Watching | undefined;
  /** Whether the server sends bookmarks, so that silence is a bad sign. */
  #isStrict = false;
  /** Whether a watch-list has come to nothing here. */
  #hasStalled = false;

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#pageSize = options.pageSize ?? DEFAULT_PAGE_SIZE;
    this.#watchLists = options.watchLists ?? new WatchLists();
    this.#pace = new Pace(options.random);
    this.#intake = new Intake({ ...options, onBug: (error) => this.#report(error, 0) });
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.synced = promise;
    this.#settleSynced = resolve;
    this.#running = this.#run();
  }

  async refresh(): Promise<boolean> {
    if (this.#stopped) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#waiting.push(resolve);
    // What has begun does not count. A watch that is still sending everything is let go on, so that it is not for nothing.
    if (this.#resourceVersion !== undefined) this.#watching?.stop();
    return promise;
  }

  inspect(): ReflectorState {
    const resourceVersion = this.#resourceVersion;
    return {
      ...(resourceVersion !== undefined && { resourceVersion }),
      nextBackoffMs: this.#pace.boundMs,
    };
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#watching?.stop();
    this.#settleSynced(false);
    await this.#running;
    this.#waiting.splice(0).forEach((settle) => settle(false));
  }

  get #stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  get #asksForWatchLists(): boolean {
    return this.#watchLists.isWorthAsking && !this.#hasStalled;
  }

  async #run(): Promise<void> {
    // The caller gets hold of the reflector before the first request is made.
    await Promise.resolve();
    while (!this.#stopped) await this.#pause(await this.#step());
  }

  /** One list or one watch. @returns how long to wait before the next, in milliseconds */
  async #step(): Promise<number> {
    const from = this.#waiting.length > 0 ? undefined : this.#resourceVersion;
    try {
      return from === undefined ? await this.#readEverything() : await this.#watch(from);
    } catch (error) {
      return this.#failed(error);
    }
  }

  /** Those who wait are answered when what begins now is complete. */
  async #readEverything(): Promise<number> {
    const waiting = this.#waiting.splice(0);
    const onFilled = (): void => {
      this.#settleSynced(true);
      waiting.splice(0).forEach((settle) => settle(true));
      if (this.#waiting.length > 0) this.#watching?.stop();
    };
    this.#resourceVersion = undefined;
    try {
      if (this.#asksForWatchLists) return await this.#watch(undefined, onFilled);
      await this.#list();
      if (!this.#stopped) onFilled();
      return 0;
    } finally {
      this.#waiting.unshift(...waiting);
    }
  }

  async #list(): Promise<void> {
    const { api, resource, namespace, labelSelector } = this.#options;
    const where = {
      ...(namespace !== undefined && { namespace }),
      ...(labelSelector !== undefined && { labelSelector }),
    };
    const limit = this.#pageSize;
    const given = { ...where, limit, signal: this.#stopping.signal, onRefused: this.#intake.refused };
    const items: ApiObject[] = [];
    let page = await api.list(resource, given);
    for (;;) {
      if (this.#stopped) return;
      for (const item of page.items) {
        const kept = this.#intake.transformed(item);
        if (kept) items.push(kept);
      }
      if (page.continueToken === undefined) break;
      page = await api.list(resource, { ...given, continueToken: page.continueToken });
    }
    await this.#intake.takeAll(items, page.resourceVersion);
    this.#resourceVersion = page.resourceVersion;
  }

  async #watch(from: string | undefined, onFilled: () => void = () => {}): Promise<number> {
    const { timers, random, silenceMs = DEFAULT_SILENCE_MS } = this.#options;
    const startedAt = timers.elapsed();
    const watching = new Watching({
      ...this.#options,
      intake: this.#intake,
      from,
      timeoutSeconds: WATCH_SECONDS.min + Math.floor(random() * (WATCH_SECONDS.max - WATCH_SECONDS.min + 1)),
      silenceMs,
      isStrict: this.#isStrict,
      onReached: (resourceVersion) => (this.#resourceVersion = resourceVersion),
      onFilled,
    });
    this.#watching = watching;
    try {
      await watching.run();
    } finally {
      this.#watching = undefined;
      this.#isStrict = watching.isStrictAfter;
      this.#pace.watched(timers.elapsed() - startedAt);
    }
    return this.#waiting.length > 0 ? 0 : this.#pace.ended(timers.elapsed() - startedAt);
  }

  #report(error: ReconcileError, retryInMs: number): void {
    if (!this.#stopped) this.#options.onError(error, retryInMs);
  }

  /** Decides how to go on after a failure. @returns how long to wait, in milliseconds */
  #failed(error: unknown): number {
    const wasReadingEverything = this.#resourceVersion === undefined;
    if (wasReadingEverything && this.#asksForWatchLists && this.#watchLists.refusedWith(error)) return 0;
    if (needsList(error)) this.#resourceVersion = undefined;
    if (error instanceof StalledError) this.#hasStalled = true;
    if (error instanceof TooLargeError) this.#pageSize = Math.ceil(this.#pageSize / PAGE_DIVISOR);
    const delayMs = this.#pace.failed(error);
    if (!isExpired(error) && !(error instanceof StalledError)) this.#report(this.#asError(error), delayMs);
    return delayMs;
  }

  #asError(error: unknown): ReconcileError {
    if (isReconcileError(error)) return error;
    const what = `Cannot follow ${this.#options.resource.plural}: unexpected ${String(error)}`;
    return new InvariantError(what, { cause: error });
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
 * Keeps a sink equal to a resource on the server: reads everything, then follows its changes.
 *
 * **Flow**: a watch-list where the server has such watches, else a list in pages → `sink.replace` → events and bookmarks →
 * `sink.event` for each → when the watch ends, a watch from the last resource version seen in an event or bookmark.
 *
 * **Guarantees**: the sink is filled at once, with everything, transformed as it arrives. A resource version that is too old (410), a
 * refused one, an expired page and a stream that cannot be read make it read everything again; after any other failure the watch
 * resumes where it was, and the sink keeps what it has. Attempts after failures are 0.2 s to 30 s apart (doubled, full
 * jitter) and never earlier than the server asks for (up to 5 minutes); a watch that lasted 2 minutes resets that. It never gives
 * up. A connection that is dead on the other side is noticed after `silenceMs` once the server has sent a bookmark, before
 * that half a minute after the watch's agreed end. An event that the sink throws on counts as delivered; a list that it throws on is
 * read again. A list that is older than what is known is believed when the third in a row is, too. What cannot be used is left
 * out and told once; the rest goes on.
 *
 * **Assumptions**: `api` ends a list or watch when its signal aborts, and a list that gets no answer.
 *
 * **Caveats**: the sink may see an object's state again, and only the latest of several states between a watch and the list after
 * it.
 *
 * @example
 * const reflector = startReflector({ api, resource, sink, timers: systemTimers, random: Math.random, onError: log });
 * await reflector.synced;
 * await reflector.stop();
 */
export const startReflector = (options: ReflectorOptions): Reflector => new ListWatch(options);
