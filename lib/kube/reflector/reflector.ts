import { InvariantError, isReconcileError, type ReconcileError } from '#lib/errors.ts';
import type { ApiObject, ApiPage, ListOptions } from '#lib/kube/interface/api.ts';
import { isExpired, isPassing, needsList } from '#lib/kube/reflector/stale.ts';
import { TooLargeError } from '#lib/kube/transport/malformed.ts';
import { CatchingUp } from './catching-up.ts';
import { Intake } from './intake.ts';
import { askedMsOf, Pace } from './pace.ts';
import { pause } from './pause.ts';
import {
  DEFAULT_PAGE_SIZE,
  DEFAULT_SILENCE_MS,
  EARLY_SHARE,
  PAGE_DIVISOR,
  PROMPT_LIMIT_MS,
  PROMPT_SECONDS,
  STALL_MS,
} from './times.ts';
import type { Reflector, ReflectorOptions, ReflectorState } from './types.ts';
import { WatchLists } from './watch-list.ts';
import { IdleError, SilentError, StalledError, Watching } from './watching.ts';

class ListWatch implements Reflector {
  readonly synced: Promise<boolean>;
  readonly #options: ReflectorOptions;
  readonly #stopping = new AbortController();
  readonly #pace: Pace;
  readonly #intake: Intake;
  readonly #watchLists: WatchLists;
  readonly #running: Promise<void>;
  readonly #settleSynced: (isFilled: boolean) => void;
  #pageSize: number;
  /** The resource version at which the next watch starts; undefined when a complete list is necessary first. */
  #resourceVersion: string | undefined;
  readonly #catchingUp = new CatchingUp();
  /** The time at which the last complete list began, by `Timers.elapsed`. */
  #filledFromMs = -Infinity;
  #watching: Watching | undefined;
  /** Ends the current delay. */
  #waking = new AbortController();
  /** The part of the current delay that the server requested, in milliseconds. */
  #askedMs = 0;
  /** Whether the watch has a short timeout, so that the server sends a bookmark. */
  #isPrompting = false;
  /** Whether the server sends bookmarks. If so, a silent watch counts as dead. */
  #isStrict = false;
  /** The time of the last watch-list that became silent, by `Timers.elapsed`. */
  #stalledAtMs = -Infinity;

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

  async catchUp(sinceMs: number): Promise<boolean> {
    if (this.#stopped) return false;
    const isLive = this.#resourceVersion !== undefined;
    const version = isLive && this.#filledFromMs <= sinceMs ? await this.#newestVersion() : undefined;
    if (this.#stopped) return false;
    if (this.#filledFromMs > sinceMs) return true;
    const caughtUp = this.#catchingUp.wait(sinceMs, version);
    if (this.#resourceVersion !== undefined) {
      this.#catchingUp.reached(this.#resourceVersion);
      // A watch-list that is still sending its initial objects continues, so that it need not begin again.
      if (this.#isAwaited && !this.#isPrompting) this.#watching?.stop();
    }
    return caughtUp;
  }

  async relist({ isRestored = false }: { readonly isRestored?: boolean } = {}): Promise<boolean> {
    if (this.#stopped) return false;
    if (isRestored) this.#intake.expectOlder();
    const read = this.#catchingUp.wait(this.#options.timers.elapsed(), undefined);
    if (this.#resourceVersion !== undefined) this.#watching?.stop();
    this.#waking.abort();
    return read;
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
    this.#catchingUp.end();
  }

  get #stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  get #asksForWatchLists(): boolean {
    return this.#watchLists.isWorthAsking && this.#options.timers.elapsed() - this.#stalledAtMs >= STALL_MS;
  }

  get #isAwaited(): boolean {
    return this.#catchingUp.needsReading || this.#catchingUp.needsBookmark;
  }

  async #run(): Promise<void> {
    // Lets the caller receive the reflector before the first request.
    await Promise.resolve();
    while (!this.#stopped) await this.#pause(await this.#step());
  }

  /** Makes one list or one watch. @returns the delay before the next one, in milliseconds */
  async #step(): Promise<number> {
    const from = this.#catchingUp.needsReading ? undefined : this.#resourceVersion;
    try {
      return from === undefined ? await this.#readEverything() : await this.#watch(from);
    } catch (error) {
      return this.#failed(error);
    }
  }

  async #readEverything(): Promise<number> {
    const fromMs = this.#options.timers.elapsed();
    const { waiting } = this.#catchingUp;
    const onFilled = (): void => {
      this.#filledFromMs = fromMs;
      this.#settleSynced(true);
      this.#catchingUp.filled(waiting, fromMs);
      if (this.#resourceVersion !== undefined) this.#catchingUp.reached(this.#resourceVersion);
      if (this.#isAwaited) this.#watching?.stop();
    };
    this.#resourceVersion = undefined;
    this.#options.sink.begins?.();
    if (this.#asksForWatchLists) return this.#watch(undefined, onFilled);
    await this.#list();
    if (!this.#stopped) onFilled();
    return 0;
  }

  /** @returns the current resource version of the server; undefined if the request fails, so that the reflector lists all objects */
  async #newestVersion(): Promise<string | undefined> {
    const { api, resource, namespace } = this.#options;
    try {
      const { signal } = this.#stopping;
      const first = { limit: 1, signal, onRefused: () => {}, ...(namespace !== undefined && { namespace }) };
      return (await api.list(resource, first)).resourceVersion;
    } catch {
      return undefined;
    }
  }

  async #list(): Promise<void> {
    const { api, resource, namespace, labelSelector } = this.#options;
    const given = {
      ...(namespace !== undefined && { namespace }),
      ...(labelSelector !== undefined && { labelSelector }),
      limit: this.#pageSize,
      signal: this.#stopping.signal,
      onRefused: this.#intake.refused,
    };
    const items: ApiObject[] = [];
    let page = await api.list(resource, given);
    for (;;) {
      if (this.#stopped) return;
      for (const item of page.items) {
        const kept = this.#intake.transformed(item);
        if (kept) items.push(kept);
      }
      if (page.continueToken === undefined) break;
      page = await this.#nextPage({ ...given, continueToken: page.continueToken });
    }
    await this.#intake.takeAll(items, page.resourceVersion);
    this.#resourceVersion = page.resourceVersion;
  }

  /** Requests a page again after a temporary failure. The earlier pages remain valid as long as the server accepts the token. */
  async #nextPage(options: ListOptions): Promise<ApiPage> {
    const { api, resource, random } = this.#options;
    const pace = new Pace(random);
    for (;;) {
      try {
        return await api.list(resource, options);
      } catch (error) {
        if (this.#stopped || !isPassing(error)) throw error;
        const delayMs = pace.failed(error);
        this.#askedMs = askedMsOf(error);
        this.#report(this.#asError(error), delayMs);
        await this.#pause(delayMs);
        if (this.#stopped) throw error;
      }
    }
  }

  async #watch(from: string | undefined, onFilled: () => void = () => {}): Promise<number> {
    const { timers, silenceMs = DEFAULT_SILENCE_MS } = this.#options;
    const startedAt = timers.elapsed();
    const isPrompt = from !== undefined && this.#catchingUp.needsBookmark;
    this.#isPrompting = isPrompt;
    const watching = new Watching({
      ...this.#options,
      intake: this.#intake,
      from,
      timeoutSeconds: isPrompt ? PROMPT_SECONDS : this.#pace.watchSeconds(),
      silenceMs,
      isStrict: this.#isStrict,
      onReached: (resourceVersion) => {
        this.#resourceVersion = resourceVersion;
        this.#catchingUp.reached(resourceVersion);
      },
      onFilled,
    });
    this.#watching = watching;
    const cancel = isPrompt ? timers.setTimer(PROMPT_LIMIT_MS, () => watching.stop()) : () => {};
    try {
      await watching.run();
    } finally {
      cancel();
      this.#isPrompting = false;
      if (isPrompt) this.#catchingUp.promptEnded();
      this.#watching = undefined;
      this.#isStrict = watching.isStrictAfter;
      this.#pace.watched(timers.elapsed() - startedAt);
    }
    const lastedMs = timers.elapsed() - startedAt;
    // An early end is an interruption, even if it is regular: a server that shuts down ends its watches regularly.
    if (!watching.isStopped && lastedMs < EARLY_SHARE * watching.agreedMs) this.#options.sink.brokeOff?.();
    return this.#isAwaited ? 0 : this.#pace.ended(lastedMs);
  }

  #report(error: ReconcileError, retryInMs: number): void {
    if (!this.#stopped) this.#options.onError(error, retryInMs);
  }

  /** Handles a failure. @returns the delay before the next attempt, in milliseconds */
  #failed(error: unknown): number {
    const wasReadingEverything = this.#resourceVersion === undefined;
    if (wasReadingEverything && this.#asksForWatchLists && this.#watchLists.refusedWith(error)) return 0;
    if (!this.#stopped) this.#options.sink.brokeOff?.();
    // After a restore of the storage, a watch at a lost version is silent, as on a dead connection. A complete list is therefore
    // necessary.
    if (needsList(error) || error instanceof SilentError) this.#resourceVersion = undefined;
    if (error instanceof StalledError) this.#stalledAtMs = this.#options.timers.elapsed();
    if (error instanceof TooLargeError) this.#pageSize = Math.ceil(this.#pageSize / PAGE_DIVISOR);
    const delayMs = this.#pace.failed(error);
    this.#askedMs = askedMsOf(error);
    const isExpected = isExpired(error) || error instanceof StalledError || error instanceof IdleError;
    if (!isExpected) this.#report(this.#asError(error), delayMs);
    return delayMs;
  }

  /** Waits. `relist` ends the wait, except for the part that the server requested. */
  async #pause(delayMs: number): Promise<void> {
    const { signal } = this.#stopping;
    const { timers } = this.#options;
    this.#waking = new AbortController();
    const askedMs = Math.min(delayMs, this.#askedMs);
    await pause(askedMs, timers, signal);
    await pause(delayMs - askedMs, timers, signal, this.#waking.signal);
  }

  #asError(error: unknown): ReconcileError {
    if (isReconcileError(error)) return error;
    return new InvariantError(`Cannot follow ${this.#options.resource.plural}: ${String(error)}`, { cause: error });
  }
}

/**
 * Keeps a sink equal to a resource on the server: the reflector lists all objects, and then watches for changes.
 *
 * **Flow**: a watch-list where the server supports it, otherwise a list in pages → `sink.replace` → events and bookmarks →
 * `sink.event` for each → when the watch ends, a watch from the last resource version of an event or bookmark.
 *
 * **Guarantees**: the sink is filled in one call, with all objects; each object is transformed as it arrives. All objects are
 * listed again after a refused or expired watch (400, 404, 410, 422), an expired page, an unreadable stream, and silence. A page
 * with a temporary failure is requested again. After other failures of a watch, the next one resumes at its last version, and the
 * sink keeps its objects. Attempts after failures are 0.2 s to 30 s apart (doubled, full jitter), except after a refused
 * watch-list. None is earlier than the server requests, up to 5 minutes. A watch of half a minute resets this delay. The number
 * of attempts is not limited. A dead connection is detected after `silenceMs`. Before the first bookmark of the server, the
 * detection takes until half a minute after the requested end of the watch. If the sink throws, an event counts as delivered, and
 * a list is read again. A list that is older than the known state is accepted if two older lists came immediately before. Invalid
 * items are left out and reported once.
 *
 * **Assumptions**: `api` ends a list or watch when its signal aborts, and ends a list that gets no response.
 *
 * **Caveats**: the sink may get the same state of an object twice. Between a watch and the next list, the sink gets only the
 * latest of several states.
 *
 * @example
 * const reflector = startReflector({ api, resource, sink, timers: systemTimers, random: Math.random, onError: log });
 * await reflector.synced;
 * await reflector.stop();
 */
export const startReflector = (options: ReflectorOptions): Reflector => new ListWatch(options);
