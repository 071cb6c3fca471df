import { NotLeadingError } from '#lib/errors.ts';
import { groupOf, type KindRef } from '#lib/kind/handles/reference.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';
import { WorkTurn } from '#lib/kube/interface/work-turn.ts';
import type { CacheChange } from '#lib/loop/cache/cache-options.ts';
import type { ControllerProbe, ReconcileResult } from '#lib/loop/context/metrics.ts';
import type { EffectRunner } from '#lib/loop/effects/runner.ts';
import { makesRoom } from '#lib/loop/flow/makes-room.ts';
import { holdsSlot, holdsWithRoom, untilFirstEnds, withRoom } from '#lib/loop/pass/execute/holds.ts';
import { type Result, reconcile } from '#lib/loop/pass/reconcile.ts';
import { longestStaleMs } from '#lib/loop/pass/report/report.ts';
import { Coalescing, type CoalescingState, INFORMING_MS, quietMsFor } from '#lib/loop/queue/coalescing.ts';
import { type QueueState, type Taken, WorkQueue } from '#lib/loop/queue/queue.ts';
import { firstUrgencyOf, urgencyOf, urgencyOfRest } from '#lib/loop/queue/urgency.ts';
import { childCountIn, elsewhereKeyOf } from '#lib/loop/related/children.ts';
import { restoredKeyOf } from '#lib/loop/related/restored.ts';
import { identityOf } from '#lib/plan/identity.ts';
import type { Context } from './context/context.ts';
import { type Key, keyOf, namespaceOf } from './context/key.ts';
import { inspectMemory } from './context/memory.ts';

/** Options of {@link Controller}. */
export interface ControllerOptions {
  readonly context: Context;
  readonly timers: Timers;
  /** Aborted by `stop`. Its signal is the `stopping` signal of the context. */
  readonly stopping: AbortController;
  /** The maximum number of concurrent passes. A pass may send several requests at the same time. */
  readonly concurrency: number;
}

/** The state of a controller as JSON, for bug reports and for comparing states. */
export interface ControllerState {
  readonly kind: string;
  readonly queue: QueueState;
  /** The delayed events of children and look-ups. Absent when there are none. */
  readonly coalescing?: CoalescingState;
  readonly effects: ReturnType<EffectRunner['inspect']>;
  readonly memory: Readonly<Record<string, unknown>>;
}

/** The value of the label `result` in the metrics of controller-runtime for the result of a pass. */
const resultWord = (result: Result): ReconcileResult => {
  if (result.next === 'backoff') return 'error';
  if (result.next === 'rest') return 'success';
  return result.afterMs === 0 ? 'requeue' : 'requeue_after';
};

/**
 * Reconciles the resources of one kind.
 *
 * Flow: a change in a cache → the key of its resource → the queue → a pass → the time of the next pass.
 *
 * Guarantees: one pass at a time per resource. No key is queued and no pass runs before `start`, which is called when the caches
 * are filled. No pass begins after the call of `stop`, which resolves when the last pass has ended. A failed pass affects no
 * other key. The queue orders the resources by priority, and namespaces take turns. Many changes of children of one resource
 * cause few passes ({@link Coalescing}).
 *
 * Assumptions: `resourceChanged`, `childChanged`, `lookedUpChanged` and `quotaChanged` are called for every change in the caches
 * of `context`.
 *
 * Caveats: a stopped controller cannot be started again.
 */
export class Controller {
  readonly #context: Context;
  readonly #timers: Timers;
  readonly #concurrency: number;
  readonly #queue: WorkQueue;
  readonly #coalescing: Coalescing;
  readonly #stopping: AbortController;
  readonly #effects: EffectRunner;
  readonly #passes = new Set<Promise<void>>();
  /** The namespaces in which passes may run. An element `undefined` stands for all namespaces. */
  readonly #open = new Set<string | undefined>();
  readonly #turn: WorkTurn;
  #pumpIsDue = false;
  /** Clears the memory and the held releases after a restore of the storage, because the remembered states no longer exist. */
  readonly startAnew = (): void => [this.#context.memory, this.#context.held].forEach((part) => part?.clear());

  constructor({ context, timers, stopping, concurrency }: ControllerOptions) {
    this.#context = context;
    this.#timers = timers;
    this.#turn = new WorkTurn(() => timers.elapsed());
    this.#concurrency = concurrency;
    this.#stopping = stopping;
    this.#effects = context.effects;
    const { random, metrics } = context;
    this.#queue = new WorkQueue({ timers, random, metrics, onReady: () => this.#pumpSoon() });
    this.#coalescing = new Coalescing({
      timers,
      add: (key) => this.#queue.add(key),
      addAfter: (key, delayMs) => this.#queue.addAfter(key, delayMs),
    });
  }

  get probe(): Omit<ControllerProbe, 'concurrency'> {
    return {
      depth: () => this.#queue.depth,
      unfinishedMs: () => this.#queue.unfinishedMs(),
      staleMs: () => longestStaleMs(this.#context),
    };
  }

  inspect(): ControllerState {
    const coalescing = this.#coalescing.inspect();
    const waits = coalescing.changed.length > 0 || Object.keys(coalescing.quietForMs).length > 0;
    return {
      kind: this.#context.definition.kind,
      queue: this.#queue.inspect(),
      ...(waits && { coalescing }),
      effects: this.#effects.inspect(),
      memory: inspectMemory(this.#context),
    };
  }

  /** Handles a change of a resource: queues its key, unless the change is only a status that the loop itself wrote. */
  resourceChanged(change: CacheChange): void {
    const metadata = (change.after ?? change.before)?.metadata;
    if (!metadata || !this.#isOpen(metadata.namespace)) return;
    const urgency = urgencyOf(change);
    // A pass that wrote a status queues the key itself if another pass is needed.
    if (change.isOwnStatus && urgency === 'child') return;
    this.#queue.add(keyOf(metadata.namespace, metadata.name), urgency);
  }

  /**
   * Handles a change of an object that is or was a child: queues its old and its new owner. Without a controller, the label or
   * the annotation of the object names the owner. Changes by writes and live gets of this process count, too, because a pass of
   * another resource may have made the request.
   */
  childChanged({ before, after }: CacheChange): void {
    for (const object of [before, after]) {
      const key = object && this.#ownerKey(object);
      if (key !== undefined && this.#isOpen(namespaceOf(key))) this.#coalescing.event(key);
    }
  }

  /** Handles a change of an object that may be an orphan or looked up: queues the resources with changed answers. */
  lookedUpChanged(kind: KindRef, change: CacheChange): void {
    for (const [key, onlyInforms] of this.#context.lookups.affectedBy(kind, change))
      this.#coalescing.event(key, onlyInforms ? INFORMING_MS : 0);
  }

  /** Handles a change of the state of a watch: queues the resources that failed without its objects, if it works now. */
  watchesChanged(): void {
    const { lookups, isObserved = () => true } = this.#context;
    for (const key of lookups.found(({ kind, namespace }) => isObserved(kind, namespace))) this.#coalescing.event(key);
  }

  /** Handles a change of a quota. If the quota may have room now, wakes resources that wait for room in a quota. */
  quotaChanged(change: CacheChange): void {
    const namespace = (change.after ?? change.before)?.metadata.namespace;
    if (namespace === undefined || !makesRoom(change)) return;
    this.#context.quotas.made(namespace, this.#context.now());
  }

  /** Shortens the holds of resources, because a quota may have room for their refused creates. */
  tryRoom(keys: readonly Key[], notBefore: number): void {
    const context = this.#context;
    const now = context.now();
    for (const key of keys) {
      const uid = context.memory.get(key)?.uid;
      if (uid === undefined) {
        context.quotas.forget(key);
        continue;
      }
      const place = { key, uid };
      const holds = withRoom(holdsSlot.get(context, place), { now, madeAt: now, notBefore, random: context.random });
      holdsSlot.set(context, place, holds);
      const afterMs = untilFirstEnds(holdsWithRoom(holds), { began: -Infinity, now });
      this.#queue.addAfter(key, afterMs === Infinity ? 0 : afterMs);
    }
  }

  /** Queues a resource that may retry a refused write. */
  tryAgain(key: Key): void {
    this.#queue.add(key, 'resync');
  }

  /** Queues a resource after the end of one of its effects. */
  effectEnded(key: Key): void {
    this.#queue.add(key);
  }

  /**
   * Begins to work, with a pass over every known resource of a namespace. The caches must be filled.
   *
   * @param namespace - the namespace. @default all namespaces
   */
  start(namespace?: string): void {
    if (this.#stopping.signal.aborted) return;
    this.#open.add(namespace);
    for (const resource of this.#context.resources.all()) {
      const { namespace: own = '', name } = resource.metadata;
      if (namespace === undefined || own === namespace) this.#queue.add(keyOf(own, name), firstUrgencyOf(resource));
    }
    this.#addParentsOfElsewhere();
    this.#pump();
  }

  /** Queues the resources of all children elsewhere, because a pass deletes such children if their resource is gone. */
  #addParentsOfElsewhere(): void {
    const caches = [...this.#context.children].filter(([kind]) => kind.elsewhere !== undefined);
    for (const [, cache] of caches) for (const object of cache.all()) this.childChanged({ after: object });
  }

  /** Begins no more passes, cancels the effects, and waits for the running passes and attempts. */
  async stop(): Promise<void> {
    this.#open.clear();
    this.#stopping.abort();
    this.#queue.close();
    await Promise.all([this.#effects.stop(), ...this.#passes]);
  }

  #isOpen(namespace: string | undefined): boolean {
    return this.#open.has(undefined) || this.#open.has(namespace);
  }

  #ownerKey(object: NonNullable<CacheChange['after']>): Key | undefined {
    const { definition, kind } = this.#context;
    const owner = identityOf(definition).ownerOf(object);
    if (owner === undefined) return elsewhereKeyOf(definition, object) ?? restoredKeyOf(this.#context, object);
    const isOurs = owner.kind === kind.kind && groupOf(owner.apiVersion) === groupOf(kind.apiVersion);
    const namespace = definition.scope === 'Cluster' ? '' : object.metadata.namespace;
    return isOurs ? keyOf(namespace, owner.name) : undefined;
  }

  /** Starts passes in a microtask. A pass that starts at once could read the cache while a list is only partly stored. */
  #pumpSoon(): void {
    if (this.#pumpIsDue) return;
    this.#pumpIsDue = true;
    queueMicrotask(this.#pump);
  }

  readonly #pump = (): void => {
    this.#pumpIsDue = false;
    while (this.#open.size > 0 && this.#queue.active < this.#concurrency && this.#turn.hasTime(this.#pump)) {
      const taken = this.#queue.take();
      if (taken === undefined) return;
      const pass = this.#pass(taken);
      this.#passes.add(pass);
      void pass.finally(() => this.#passes.delete(pass));
    }
  };

  async #pass(taken: Taken): Promise<void> {
    const { key } = taken;
    const began = this.#timers.elapsed();
    this.#coalescing.began(key);
    const result = await this.#reconcileSafely(key);
    this.#context.metrics.reconciled(resultWord(result), this.#timers.elapsed() - began);
    if (result.next !== 'backoff') this.#queue.forget(key);
    else if (result.isPaced) this.#queue.addRefused(key, result.atLeastMs);
    else this.#queue.addFailed(key, result.atLeastMs);
    if (result.next !== 'rest' && result.afterMs !== undefined) this.#addAgain(taken, result);
    this.#coalescing.ended(key, quietMsFor(this.#populationOf(key)));
    this.#queue.done(key);
    this.#pump();
  }

  #populationOf(key: Key): number {
    const { resources, children, definition } = this.#context;
    const metadata = resources.get(key)?.metadata;
    if (metadata === undefined) return 0;
    const parent = { namespace: '', ...metadata };
    return [...children].reduce((sum, [kind, cache]) => sum + childCountIn({ definition, kind, cache }, parent), 0);
  }

  /** Queues a key again after a pass that left work. Without a delay, {@link urgencyOfRest} decides the priority. */
  #addAgain({ key, priority }: Taken, { afterMs = 0, ...more }: Exclude<Result, { next: 'rest' }>): void {
    if (afterMs === 0) this.#queue.add(key, urgencyOfRest(priority, { looksAtStatus: 'looksAtStatus' in more }));
    else this.#queue.addAfter(key, afterMs);
  }

  async #reconcileSafely(key: Key): Promise<Result> {
    try {
      return await reconcile(this.#context, key);
    } catch (error) {
      const { definition, log, metrics, onFailure } = this.#context;
      // This process is about to end. The next leader executes the remaining writes.
      if (error instanceof NotLeadingError) return { next: 'rest' };
      log.error({ key, error }, 'pass failed');
      metrics.panicked();
      onFailure?.({ what: `a pass of ${definition.kind}`, key, error });
      return { next: 'backoff', atLeastMs: 0 };
    }
  }
}
