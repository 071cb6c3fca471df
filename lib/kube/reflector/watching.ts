import { ConnectionError } from '#lib/errors.ts';
import type { ApiObject, KubeApi, WatchEvent, WatchOptions } from '#lib/kube/interface/api.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';
import { BrokenStreamError } from '#lib/kube/transport/malformed.ts';
import type { Intake } from './intake.ts';
import { Silence } from './silence.ts';
import type { ReflectorOptions } from './types.ts';
import { InitialEvents } from './watch-list.ts';

/** The longest time until the first event of a watch-list, in milliseconds, as for any other request: the server may be busy. */
const FIRST_EVENT_MS = 30_000;
/**
 * The longest time between two later events of the initial list, in milliseconds. A server without watch-lists never completes
 * this list.
 */
const INITIAL_SILENCE_MS = 10_000;

/** Options of a watch. */
export interface WatchingOptions extends Pick<ReflectorOptions, 'resource' | 'namespace' | 'labelSelector' | 'held'> {
  readonly api: Pick<KubeApi, 'watch'>;
  readonly timers: Timers;
  readonly intake: Intake;
  /** The resource version at which the watch starts. If undefined, the watch is a watch-list. */
  readonly from: string | undefined;
  readonly timeoutSeconds: number;
  /**
   * The time of silence after which the watch counts as dead, in milliseconds. Until a watch-list has sent all objects, the limit
   * is at most 30 s.
   */
  readonly silenceMs: number;
  /** Whether a silent watch counts as dead from the start. Otherwise, only a silence after the first bookmark counts. */
  readonly isStrict: boolean;
  /** Called for each resource version that the watch reaches. */
  readonly onReached: (resourceVersion: string) => void;
  /** Called when the sink has the complete initial list. */
  readonly onFilled: () => void;
}

/** The error of a watch-list that became silent before it was complete. The server may not support watch-lists. */
export class StalledError extends ConnectionError {}

/** The error of a watch that became silent: its connection is dead, or its version no longer exists after a restore. */
export class SilentError extends ConnectionError {}

/**
 * The error of a watch that was silent from its beginning. An idle server may send no bookmark that is newer than the start of
 * the watch. The silence is therefore no sign of a fault.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/v1.36.4/staging/src/k8s.io/apiserver/pkg/storage/cacher/cache_watcher.go
 *   (`processInterval`)
 */
export class IdleError extends SilentError {}

/** One watch, from its request to its end. */
export class Watching {
  readonly #options: WatchingOptions;
  readonly #abort = new AbortController();
  readonly #silence: Silence;
  #initial: InitialEvents | undefined;
  #failure: unknown;
  #sawBookmark = false;
  #sawAnything = false;
  #wentSilent = false;
  /** Pending while the sink processes the initial list. */
  #taking: Promise<void> | undefined;
  readonly #later: WatchEvent[] = [];

  constructor(options: WatchingOptions) {
    this.#options = options;
    this.#initial = options.from === undefined ? new InitialEvents() : undefined;
    this.#silence = new Silence({ timers: options.timers, onSilence: () => this.#silent() });
  }

  /**
   * Whether the next watch counts as dead when it is silent from its beginning. False if this watch was silent from its
   * beginning, because every further watch could end in the same way.
   */
  get isStrictAfter(): boolean {
    return this.#sawBookmark || (this.#options.isStrict && !(this.#wentSilent && !this.#sawAnything));
  }

  /** The requested duration of the watch, in milliseconds. */
  get agreedMs(): number {
    return this.#options.timeoutSeconds * 1000;
  }

  /** Whether this process ended the watch. */
  get isStopped(): boolean {
    return this.#abort.signal.aborted;
  }

  /** Ends the watch; `run` then resolves. */
  stop(): void {
    this.#abort.abort();
  }

  /**
   * Runs the watch. Resolves at a regular end.
   *
   * @throws ApiError or ConnectionError, as `KubeApi.watch`; `SilentError` when the watch became silent, `StalledError` when it
   *   became silent before the initial list was complete
   */
  async run(): Promise<void> {
    const { api, resource, namespace, labelSelector, held, from, timeoutSeconds, intake } = this.#options;
    const options: WatchOptions = {
      ...(namespace !== undefined && { namespace }),
      ...(labelSelector !== undefined && { labelSelector }),
      ...(from !== undefined && { resourceVersion: from }),
      timeoutSeconds,
      // The initial list may replace the known state: after a restore of the storage, equal versions may belong to different
      // states.
      ...(held && { held: (state) => (this.#initial ? undefined : held(state)) }),
      signal: this.#abort.signal,
      onRefused: (reason) => {
        this.#heard();
        intake.refused(reason);
      },
    };
    this.#allowSilence();
    try {
      await api.watch(resource, options, (event) => this.#take(event));
    } catch (error) {
      // Without the end of the initial list, the events so far are not used.
      if (!(error instanceof BrokenStreamError && this.#initial !== undefined)) throw error;
      throw new ConnectionError(error.message, { cause: error });
    } finally {
      this.#silence.end();
    }
    await this.#taking;
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#initial !== undefined && !this.#abort.signal.aborted) {
      throw new ConnectionError(`Cannot watch ${resource.plural}: it ended before everything had been sent`);
    }
  }

  #take(event: WatchEvent): void {
    if (this.#abort.signal.aborted) return;
    this.#heard();
    if (this.#taking) {
      this.#later.push(event);
      return;
    }
    try {
      const own = this.#transformed(event);
      if (this.#initial !== undefined) this.#takeInitial(this.#initial, own ?? event, own !== undefined);
      else this.#takeLive(event, own);
    } catch (error) {
      this.#fail(error);
    }
  }

  #takeInitial(initial: InitialEvents, event: WatchEvent, isUsable: boolean): void {
    const everything = isUsable ? initial.take(event) : undefined;
    if (everything === undefined) return;
    this.#initial = undefined;
    const taking = this.#options.intake.takeAll(everything.items, everything.resourceVersion);
    if (taking) {
      // While the sink processes the list, no event is handled. This time does not count as silence.
      this.#silence.allow(Infinity);
      this.#taking = this.#takeSlowly(taking, everything.resourceVersion);
    } else this.#took(everything.resourceVersion);
  }

  #took(resourceVersion: string): void {
    this.#options.onReached(resourceVersion);
    this.#options.onFilled();
    this.#allowSilence();
  }

  async #takeSlowly(taking: Promise<void>, resourceVersion: string): Promise<void> {
    try {
      await taking;
      this.#taking = undefined;
      if (!this.#abort.signal.aborted) this.#took(resourceVersion);
      for (const event of this.#later.splice(0)) this.#take(event);
    } catch (error) {
      this.#fail(error);
    }
  }

  #takeLive(given: WatchEvent, event: WatchEvent | undefined): void {
    this.#options.onReached(given.type === 'BOOKMARK' ? given.resourceVersion : given.object.metadata.resourceVersion);
    if (event) this.#options.intake.event(event);
    if (given.type !== 'BOOKMARK' || this.#sawBookmark) return;
    this.#sawBookmark = true;
    this.#allowSilence();
  }

  #transformed(event: WatchEvent): WatchEvent | undefined {
    // The sink must get each deletion, also of an object for which the transformation throws.
    if (event.type === 'BOOKMARK' || event.type === 'DELETED') return event;
    const object: ApiObject | undefined = this.#options.intake.transformed(event.object);
    return object && { ...event, object };
  }

  #heard(): void {
    this.#silence.heard();
    if (!this.#sawAnything && this.#initial) this.#silence.allow(this.#bounded(INITIAL_SILENCE_MS));
    this.#sawAnything = true;
  }

  #allowSilence(): void {
    const { silenceMs, isStrict } = this.#options;
    if (this.#initial) this.#silence.allow(this.#bounded(FIRST_EVENT_MS));
    else this.#silence.allow(isStrict || this.#sawBookmark ? silenceMs : Infinity);
  }

  #bounded(ms: number): number {
    const { silenceMs } = this.#options;
    return Number.isFinite(silenceMs) ? Math.min(ms, silenceMs) : Infinity;
  }

  #silent(): void {
    this.#wentSilent = true;
    const start = `Cannot watch ${this.#options.resource.plural}: nothing came for`;
    const message = `${start} ${this.#options.silenceMs} ms, the watch is taken for dead`;
    if (this.#initial) this.#fail(new StalledError(`${start} too long, and not everything had been sent`));
    else this.#fail(this.#sawAnything ? new SilentError(message) : new IdleError(message));
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#abort.abort();
  }
}
