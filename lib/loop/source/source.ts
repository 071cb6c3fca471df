import type { ReconcileError } from '#lib/errors.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';
import type { ApiObject, WatchEvent } from '#lib/kube/interface/api.ts';
import { startReflector } from '#lib/kube/reflector/reflector.ts';
import { BrokenStreamError } from '#lib/kube/transport/malformed.ts';
import { ObjectCache } from '#lib/loop/cache/cache.ts';
import type { CacheChange } from '#lib/loop/cache/cache-options.ts';
import { EVERYTHING } from '#lib/loop/cache/gone-marks.ts';
import type { CacheEvidence } from '#lib/loop/cache/restored/restores.ts';
import { noMetrics } from '#lib/loop/context/metrics.ts';
import { Audit } from './audit.ts';
import { FailureLog } from './failure-log.ts';
import { type Need, namespacesOf, sourceName } from './needs.ts';
import { addInSlices, SLICE } from './slices.ts';
import {
  caughtUp,
  type FollowedWatch,
  type TakenList,
  type WatchAttempt,
  type WatchProblem,
  WatchStanding,
  type WatchState,
} from './standing.ts';
import type { SharedSurroundings } from './surroundings.ts';
import { WatchMeter } from './watch-meter.ts';

/**
 * The objects of one resource: one cache, and the watches that fill it. All kinds that need the resource share the source.
 *
 * Flow: `listen` (before `start`) → `start` → lists and watches → cache → listeners. A namespaced resource has one watch for each
 * given namespace; in all other cases there is one watch.
 *
 * Guarantees: a list that fails is repeated until it succeeds. Each listener gets all changes that the cache reports, in order.
 * No watch changes the cache after `stop` has resolved.
 *
 * Caveats: changes in namespaces without a watch are not observed, and the cache ignores responses to writes there.
 */
export class Source {
  readonly kind: KindRef;
  readonly cache: ObjectCache;
  readonly #need: Need;
  readonly #around: SharedSurroundings;
  readonly #meter: WatchMeter;
  readonly #listeners: ((change: CacheChange) => void)[] = [];
  readonly #onStanding: () => void;
  readonly #failures: FailureLog;
  #audits: readonly Audit[] = [];
  #followed: readonly FollowedWatch[] = [];

  /** @param onStanding - called when `isSettled`, `isUnfit`, `problems` or `isDoubted` may have changed */
  constructor(need: Need, around: SharedSurroundings, onStanding: () => void = () => undefined) {
    this.kind = need.kind;
    this.#need = need;
    this.#around = around;
    this.#onStanding = onStanding;
    this.#failures = new FailureLog(around.log);
    const onChange = (change: CacheChange): void => this.#listeners.forEach((listener) => listener(change));
    const namespaces = namespacesOf(need, around.namespaces);
    this.cache = new ObjectCache({
      project: need.project,
      isClusterScoped: need.isClusterScoped,
      isPartial: need.labelSelector !== undefined,
      onChange,
      onOverlay: onChange,
      onRestored: (evidence) => this.#contradicted(evidence),
      ...(namespaces && { namespaces }),
    });
    const { metrics = noMetrics, timers } = around;
    const [resource, objects] = [sourceName(need), () => this.cache.size];
    const refused = (): number => (this.isOptional ? 0 : this.#count(({ trouble }) => trouble?.cause === 'refused'));
    this.#meter = new WatchMeter({ resource, metrics, elapsed: () => timers.elapsed(), objects, refused });
  }

  /** Whether the loop can run without this resource. */
  get isOptional(): boolean {
    return this.#need.isOptional;
  }

  /** Registers a listener for the changes that the cache reports, including those by responses to requests of this operator. */
  listen(listener: (change: CacheChange) => void): void {
    this.#listeners.push(listener);
  }

  /** Begins to list and watch. */
  start(): void {
    this.#followed = (this.cache.namespaces ?? [undefined]).map((namespace) => this.#follow(namespace));
    const { resyncMs = 0 } = this.#around;
    if (resyncMs <= 0) return;
    this.#audits = this.#followed.map((followed) => this.#audit(followed, resyncMs));
  }

  /** Whether each watch has either filled the cache, or failed for a cause that every replica shares. */
  get isSettled(): boolean {
    return this.#count(({ isSettled }) => !isSettled) === 0;
  }

  /** Resolves when `isSettled` becomes true, and never if the source is stopped before. Never rejects. */
  settled = async (): Promise<unknown> => Promise.all(this.#followed.map(async ({ standing }) => standing.settled));

  /** Whether a watch has failed for two minutes, for a cause that another replica may not have. */
  get isUnfit(): boolean {
    return this.#count(({ isUnfit }) => isUnfit) > 0;
  }

  /** The watches that fail, or have not filled the cache yet. */
  get problems(): readonly WatchProblem[] {
    return this.#followed
      .filter(({ standing }) => !standing.isFilled || standing.trouble !== undefined)
      .map(({ namespace, standing: { trouble } }) => ({ ...this.#placeIn(namespace), ...(trouble && { trouble }) }));
  }

  /** Whether the first lists of a namespace, or of all, have been put into the cache. */
  isFilled(namespace?: string): boolean {
    return this.#watchesOf(namespace).every(({ standing }) => standing.isFilled);
  }

  /**
   * @param namespace - the namespace of the objects. @default all
   * @returns true once the cache is filled; false when the source was stopped before. Never rejects.
   */
  async synced(namespace?: string): Promise<boolean> {
    const filled = await Promise.all(this.#watchesOf(namespace).map(async ({ reflector }) => reflector.synced));
    return filled.every(Boolean);
  }

  /**
   * Waits until the cache includes all changes up to a moment; see `Reflector.catchUp`.
   *
   * @param at - `sinceMs`: the moment, by `Timers.elapsed`; `namespace`: the namespace of the objects, by default all
   * @returns true when the cache includes the changes; false when the source was stopped before. Never rejects.
   */
  async catchUp({ sinceMs, namespace }: { readonly sinceMs: number; readonly namespace?: string }): Promise<boolean> {
    const skipsLost = this.kind.elsewhere !== undefined;
    const fresh = this.#watchesOf(namespace).map(async (watch) => caughtUp(watch, { sinceMs, skipsLost }));
    return (await Promise.all(fresh)).every(Boolean);
  }

  /** Lists all objects again after a restore of the storage. A namespace is in doubt until its list is in the cache. */
  startAnew(): void {
    for (const followed of this.#followed) void this.#startAnew(followed);
  }

  /** Whether the cache of a namespace, or of any namespace, may have a state that a restore of the storage has removed. */
  isDoubted(namespace?: string): boolean {
    return this.#watchesOf(namespace).some((watch) => this.cache.trust.doubted.has(watch.namespace ?? EVERYTHING));
  }

  /** The state of each watch, by resource, version and namespace. */
  inspect(): Readonly<Record<string, WatchState>> {
    const { id } = this.#need;
    const states = this.#followed.map(({ namespace, reflector }) => {
      const name = namespace === undefined ? id : `${id} in ${namespace}`;
      return [name, { ...reflector.inspect(), cache: this.cache.inspect(namespace) }] as const;
    });
    return Object.fromEntries(states);
  }

  /** Closes the watches, which then do not change the cache any more. */
  async stop(): Promise<void> {
    this.#audits.forEach((audit) => audit.stop());
    await Promise.all(this.#followed.map(async ({ reflector }) => reflector.stop()));
  }

  async #startAnew({ namespace = EVERYTHING, reflector }: FollowedWatch): Promise<void> {
    const { trust } = this.cache;
    trust.doubted.add(namespace);
    if (!(await reflector.relist({ isRestored: true }))) return;
    trust.doubted.delete(namespace);
    this.#onStanding();
  }

  /** Reports evidence of a restored storage, except while the cache is in doubt: then such evidence is expected. */
  #contradicted(evidence: CacheEvidence): void {
    if (!this.isDoubted()) this.#around.onRestored?.({ ...evidence, resource: sourceName(this.#need) });
  }

  #count(holds: (standing: WatchStanding) => boolean): number {
    return this.#followed.filter(({ standing }) => holds(standing)).length;
  }

  /** The watches for the objects of a namespace. If one watch covers all namespaces, it is the result. */
  #watchesOf(namespace: string | undefined): readonly FollowedWatch[] {
    if (namespace === undefined || this.cache.namespaces === undefined) return this.#followed;
    return this.#followed.filter((followed) => followed.namespace === namespace);
  }

  #audit({ namespace, reflector, standing }: FollowedWatch, intervalMs: number): Audit {
    const { log } = this.#around;
    const { labelSelector, mayGet } = this.#need;
    const fields = this.#placeIn(namespace);
    return new Audit({
      ...this.#around,
      kind: this.kind,
      cache: this.cache,
      namespace,
      labelSelector,
      intervalMs,
      isFilled: () => standing.isFilled,
      relist: mayGet ? undefined : async () => reflector.relist(),
      onRepaired: (names, count) => {
        this.#meter.repaired(count);
        log.error({ ...fields, count, names }, 'the cache differed from the API server and was repaired');
      },
      onSkipped: (error) => log.info({ ...fields, error }, 'the cache could not be compared with the API server'),
    });
  }

  #follow(namespace: string | undefined): FollowedWatch {
    const { api, timers, random, log, silenceMs, watchLists } = this.#around;
    const { cache, kind } = this;
    const [{ labelSelector }, meter, name] = [this.#need, this.#meter, sourceName(this.#need)];
    const standing = new WatchStanding();
    meter.heard(namespace);
    const reflector = startReflector({
      api,
      resource: kind,
      ...(namespace !== undefined && { namespace }),
      ...(labelSelector !== undefined && { labelSelector }),
      timers,
      random,
      sink: {
        begins: () => cache.gone.listBegins(namespace ?? EVERYTHING),
        replace: (items, resourceVersion) => {
          meter.listed(namespace);
          return this.#replace({ items, resourceVersion, namespace, standing });
        },
        brokeOff: () => cache.trust.brokeOff(namespace ?? EVERYTHING),
        event: (event) => {
          meter.heard(namespace);
          cache.event(event, namespace);
          this.#account(event, namespace);
          if (standing.trouble !== undefined) this.#well({ namespace, standing }, () => standing.heard());
        },
      },
      transform: (object) => cache.reduced(object) as unknown as ApiObject,
      held: (state) => cache.heldAs(state) as unknown as ApiObject | undefined,
      ...(silenceMs !== undefined && { silenceMs }),
      watchLists,
      onRefused: (error) => log.error({ resource: name, error }, 'object left out, going on without it'),
      onError: (error, retryInMs) => this.#failed(error, { namespace, standing, retryInMs }),
    });
    return { namespace, standing, reflector };
  }

  /** Releases the memory budget of a deleted object; at a bookmark, of all objects that the cache does not have. */
  #account(event: WatchEvent, namespace: string | undefined): void {
    if (event.type === 'DELETED') this.#need.budget?.release(event.object.metadata.uid);
    if (event.type === 'BOOKMARK' && this.isFilled(namespace))
      this.#need.budget?.retain(namespace, () => new Set([...this.cache.all()].map(({ metadata }) => metadata.uid)));
  }

  /** Puts a list into the cache. A long first list is added in parts, as no pass runs yet; another list is added at once. */
  #replace(list: TakenList): Promise<void> | undefined {
    if (!list.standing.isFilled && list.items.length > SLICE) return this.#fill(list);
    this.#take(list);
    return undefined;
  }

  async #fill(list: TakenList): Promise<void> {
    const { items, namespace } = list;
    const add = (object: ApiObject): void => this.cache.event({ type: 'ADDED', object }, namespace);
    await addInSlices(items, { add, timers: this.#around.timers });
    this.#take(list);
  }

  #take({ items, resourceVersion, namespace, standing }: TakenList): void {
    this.cache.replace(items, resourceVersion, namespace);
    this.#well({ namespace, standing }, () => standing.filled());
    this.#account({ type: 'BOOKMARK', resourceVersion }, namespace);
  }

  /** Updates the state of a watch that begins to work, or works again after failures. */
  #well({ namespace, standing }: Pick<FollowedWatch, 'namespace' | 'standing'>, change: () => void): void {
    const { trouble } = standing;
    const wasWell = standing.isFilled && trouble === undefined;
    change();
    if (wasWell) return;
    if (trouble?.cause === 'refused')
      this.#around.log.info(this.#placeIn(namespace), 'watch no longer refused, started');
    this.#onStanding();
  }

  #failed(error: ReconcileError, attempt: WatchAttempt): void {
    this.#meter.failed();
    const { standing, retryInMs } = attempt;
    const nowMs = this.#around.timers.elapsed();
    if (error instanceof BrokenStreamError) this.#well(attempt, () => standing.heard());
    else standing.failed(error, nowMs);
    const { trouble } = standing;
    const place = this.#placeIn(attempt.namespace);
    if (this.isOptional && trouble?.cause === 'refused') this.#failures.lacks(place, error);
    else this.#failures.failed(place, { error, retryInMs, trouble, nowMs });
    this.#around.onWatchError?.(error);
    this.#onStanding();
  }

  #placeIn(namespace: string | undefined): Pick<WatchProblem, 'resource' | 'namespace'> {
    return { resource: sourceName(this.#need), ...(namespace !== undefined && { namespace }) };
  }
}
