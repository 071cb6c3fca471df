import { ApiError, type ReconcileError } from '#lib/errors.ts';
import { type KindRef, resourceName } from '#lib/kind/reference.ts';
import type { ApiObject, KubeApi } from '#lib/kube/api.ts';
import { startReflector } from '#lib/kube/reflector/reflector.ts';
import type { Reflector, ReflectorState } from '#lib/kube/reflector/types.ts';
import type { WatchLists } from '#lib/kube/reflector/watch-list.ts';
import type { Timers } from '#lib/kube/timers.ts';
import { adviceFor } from '#lib/loop/advice.ts';
import { ObjectCache } from '#lib/loop/cache/cache.ts';
import type { CacheChange } from '#lib/loop/cache/cache-options.ts';
import type { CacheState } from '#lib/loop/cache/state.ts';
import { type LoopMetrics, noMetrics } from '#lib/loop/metrics.ts';
import type { Logger } from '#lib/telemetry/log.ts';
import { type Need, sourceId } from './needs.ts';
import { WatchMeter } from './watch-meter.ts';

/** What time does not cure: no right, or no such resource. */
const isLack = (error: ReconcileError): boolean =>
  error instanceof ApiError && (error.httpStatus === 403 || error.httpStatus === 404);

/** So many objects are taken over at a time when a cache is filled for the first time: some milliseconds of work. */
const SLICE = 250;

/** What all sources of a process have in common. */
export interface SourceSurroundings {
  readonly api: Pick<KubeApi, 'list' | 'watch'>;
  readonly timers: Timers;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Logger;
  /** @default counts nothing */
  readonly metrics?: LoopMetrics;
  /** The namespaces that are watched, without duplicates. @default all, by one watch */
  readonly namespaces?: readonly string[];
  /** How long a watch may bring nothing before it counts as dead, in milliseconds; see `ReflectorOptions`. @default 90000 */
  readonly silenceMs?: number;
  /** Whether to ask for watches that begin with everything there is. @default true; where the server has none, lists */
  readonly watchLists?: boolean;
  /** Whether a look at a field that a kind does not declare throws. @default false */
  readonly checksFunctions?: boolean;
  /** Told of every list and watch that failed, before it is tried again. Must not throw. */
  readonly onWatchError?: (error: ReconcileError) => void;
}

/** What all sources of a process have in common, and what they learn from each other. */
export interface SharedSurroundings extends Omit<SourceSurroundings, 'watchLists'> {
  readonly watchLists: WatchLists;
}

/** One watch of a source: where it is, and what it has brought. */
export type WatchState = ReflectorState & { readonly cache: CacheState };

/**
 * The objects of one resource: one cache, and the watches that fill it. Shared by all who need the resource.
 *
 * Flow: `listen` (before `start`) → `start` → lists and watches, one per namespace if namespaces are given and the
 * resource has any, else one → cache → listeners.
 *
 * Guarantees: what cannot be listed is tried again for as long as it takes; every listener hears every change in the
 * cache, in order. Nothing happens after `stop` has resolved.
 *
 * Caveats: what happens to objects of other namespaces is not seen; their overlays are not taken either.
 */
export class Source {
  readonly kind: KindRef;
  readonly cache: ObjectCache;
  readonly #need: Need;
  readonly #around: SharedSurroundings;
  readonly #meter: WatchMeter;
  readonly #listeners: ((change: CacheChange) => void)[] = [];
  /** The namespaces whose objects have been taken over once. */
  readonly #filled = new Set<string | undefined>();
  #hasToldOfLack = false;
  #reflectors: readonly (readonly [namespace: string | undefined, reflector: Reflector])[] = [];

  constructor(need: Need, around: SharedSurroundings) {
    this.kind = need.kind;
    this.#need = need;
    this.#around = around;
    const onChange = (change: CacheChange): void => this.#listeners.forEach((listener) => listener(change));
    const namespaces = need.kind.scope === 'Cluster' ? undefined : around.namespaces;
    this.cache = new ObjectCache({
      project: need.project,
      isClusterScoped: need.isClusterScoped,
      isPartial: need.labelSelector !== undefined,
      onChange,
      onOverlay: onChange,
      ...(namespaces && { namespaces }),
    });
    const { metrics = noMetrics, timers } = around;
    const [resource, objects] = [resourceName(need.kind), () => this.cache.size];
    this.#meter = new WatchMeter({ resource, metrics, elapsed: () => timers.elapsed(), objects });
  }

  /** The loop can do without. */
  get isOptional(): boolean {
    return this.#need.isOptional;
  }

  /** Adds somebody who is told of every change in the cache, also of those that answers to our own requests made. */
  listen(listener: (change: CacheChange) => void): void {
    this.#listeners.push(listener);
  }

  /** Begins to list and watch. */
  start(): void {
    this.#reflectors = (this.cache.namespaces ?? [undefined]).map((namespace) => [namespace, this.#follow(namespace)]);
  }

  /** @returns true once the cache is filled; false when it was stopped before. Never rejects. */
  async synced(): Promise<boolean> {
    const filled = await Promise.all(this.#reflectors.map(async ([, reflector]) => reflector.synced));
    return filled.every(Boolean);
  }

  /**
   * Makes sure that the cache holds what was there at the moment of this call: lists anew. A list that has not begun yet counts.
   *
   * @returns true when it does; false when it was stopped before. Never rejects.
   */
  async refresh(): Promise<boolean> {
    const fresh = await Promise.all(this.#reflectors.map(async ([, reflector]) => reflector.refresh()));
    return fresh.every(Boolean);
  }

  /** The state of each watch, by the resource, its version and its namespace; changes nothing. */
  inspect(): Readonly<Record<string, WatchState>> {
    const id = sourceId(this.kind);
    const states = this.#reflectors.map(([namespace, reflector]) => {
      const name = namespace === undefined ? id : `${id} in ${namespace}`;
      return [name, { ...reflector.inspect(), cache: this.cache.inspect(namespace) }] as const;
    });
    return Object.fromEntries(states);
  }

  /** Closes the watches; the cache stays as it is. */
  async stop(): Promise<void> {
    await Promise.all(this.#reflectors.map(async ([, reflector]) => reflector.stop()));
  }

  #follow(namespace: string | undefined): Reflector {
    const { api, timers, random, log, silenceMs, watchLists } = this.#around;
    const { cache, kind } = this;
    const { labelSelector } = this.#need;
    const meter = this.#meter;
    meter.heard(namespace);
    return startReflector({
      api,
      resource: kind,
      ...(namespace !== undefined && { namespace }),
      ...(labelSelector !== undefined && { labelSelector }),
      timers,
      random,
      sink: {
        replace: (items, resourceVersion) => {
          meter.listed(namespace);
          return this.#replace(items, resourceVersion, namespace);
        },
        event: (event) => {
          meter.heard(namespace);
          cache.event(event, namespace);
        },
      },
      transform: (object) => cache.reduced(object) as unknown as ApiObject,
      held: (state) => cache.heldAs(state) as unknown as ApiObject | undefined,
      ...(silenceMs !== undefined && { silenceMs }),
      watchLists,
      onRefused: (error) => log.error({ resource: resourceName(kind), error }, 'object left out, going on without it'),
      onError: (error, retryInMs) => this.#failed(error, { namespace, retryInMs }),
    });
  }

  /** Nobody acts on a cache before all are filled: thousands of objects may come bit by bit. Later all must be taken at once. */
  #replace(
    items: readonly ApiObject[],
    resourceVersion: string,
    namespace: string | undefined,
  ): Promise<void> | undefined {
    if (!this.#filled.has(namespace) && items.length > SLICE) return this.#fill(items, resourceVersion, namespace);
    this.#filled.add(namespace);
    this.cache.replace(items, resourceVersion, namespace);
    return undefined;
  }

  async #fill(items: readonly ApiObject[], resourceVersion: string, namespace: string | undefined): Promise<void> {
    for (let begin = 0; begin < items.length; begin += SLICE) {
      for (const object of items.slice(begin, begin + SLICE)) this.cache.event({ type: 'ADDED', object }, namespace);
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#around.timers.setTimer(0, resolve);
      await promise;
    }
    this.#filled.add(namespace);
    this.cache.replace(items, resourceVersion, namespace);
  }

  #failed(
    error: ReconcileError,
    attempt: { readonly namespace: string | undefined; readonly retryInMs: number },
  ): void {
    this.#meter.failed();
    if (this.isOptional && isLack(error)) this.#tellOfLack(error);
    else this.#tellOfFailure(error, attempt);
    this.#around.onWatchError?.(error);
  }

  /** Rights may come any time, so it is tried for ever; told once. */
  #tellOfLack(error: ReconcileError): void {
    if (this.#hasToldOfLack) return;
    this.#hasToldOfLack = true;
    const resource = resourceName(this.kind);
    const advice = adviceFor(error);
    this.#around.log.warn({ resource, error, advice }, 'watch refused, going on without it');
  }

  #tellOfFailure(
    error: ReconcileError,
    { namespace, retryInMs }: { readonly namespace: string | undefined; readonly retryInMs: number },
  ): void {
    this.#around.log.error(
      {
        resource: resourceName(this.kind),
        ...(namespace !== undefined && { namespace }),
        error,
        advice: adviceFor(error),
        retryInMs: Math.round(retryInMs),
      },
      'watch failed, trying again',
    );
  }
}
