import { NotLeadingError } from '#lib/errors.ts';
import { groupOf, type KindRef } from '#lib/kind/handles/reference.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';
import type { CacheChange } from '#lib/loop/cache/cache-options.ts';
import type { ControllerProbe, ReconcileResult } from '#lib/loop/context/metrics.ts';
import type { EffectRunner } from '#lib/loop/effects/runner.ts';
import { makesRoom } from '#lib/loop/flow/makes-room.ts';
import { holdsSlot, holdsWithRoom, untilFirstEnds, withRoom } from '#lib/loop/pass/execute/holds.ts';
import { type Result, reconcile } from '#lib/loop/pass/reconcile.ts';
import { longestStaleMs } from '#lib/loop/pass/report/report.ts';
import { Coalescing, type CoalescingState, quietMsFor } from '#lib/loop/queue/coalescing.ts';
import { type QueueState, type Taken, WorkQueue } from '#lib/loop/queue/queue.ts';
import { firstUrgencyOf, urgencyOf, urgencyOfRest } from '#lib/loop/queue/urgency.ts';
import { restoredKeyOf } from '#lib/loop/related/restored.ts';
import { identityOf } from '#lib/plan/identity.ts';
import type { Context } from './context/context.ts';
import { type Key, keyOf, namespaceOf } from './context/key.ts';
import { inspectMemory } from './context/memory.ts';

/** Options of {@link Controller}. */
export interface ControllerOptions {
  readonly context: Context;
  readonly timers: Timers;
  /** Ends with `stop`; the `stopping` signal of the context. */
  readonly stopping: AbortController;
  /** How many resources are worked on at once; the requests of one resource overlap besides. */
  readonly concurrency: number;
}

/** The state of a controller: JSON, for bug reports and for comparing states. */
export interface ControllerState {
  readonly kind: string;
  readonly queue: QueueState;
  /** Only where something is waited for. */
  readonly coalescing?: CoalescingState;
  /** By key: of each effect, its state. */
  readonly effects: ReturnType<EffectRunner['inspect']>;
  /** By key. */
  readonly memory: Readonly<Record<string, unknown>>;
}

/** Milliseconds of consecutive passes after which the event loop gets a turn, so that thousands of them do not block it. */
const TURN_MS = 8;

/** In controller-runtime's terms; a requeue at a set time is a success. */
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
 * Guarantees: one pass at a time per resource; no key is queued and no pass runs before `start` (the caches are filled then),
 * and no pass begins after `stop`, which resolves when the last pass has ended. A failed pass affects no other key. Deletions
 * go first, then the rest of begun edits, then edits by users, then changes of children, then the resources of the start, new
 * ones before known ones; namespaces take turns. Many changes of children of one resource cause few passes ({@link Coalescing}).
 *
 * Assumptions: `resourceChanged`, `childChanged`, `lookedUpChanged` and `quotaChanged` are called for every change in the
 * caches of `context`.
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
  /** The namespaces with passes; `undefined` among them stands for all. */
  readonly #open = new Set<string | undefined>();
  #pumpIsDue = false;
  /** When the first pass of this turn of the event loop began, by `Timers.elapsed`. */
  #turnBegan: number | undefined;
  #isLeftOver = false;
  /** Forgets all conclusions, which are of a future that was lost: the next passes begin as after a restart. */
  readonly startAnew = (): void => this.#context.memory.clear();

  constructor({ context, timers, stopping, concurrency }: ControllerOptions) {
    this.#context = context;
    this.#timers = timers;
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

  /** The probe that metrics read on demand. */
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

  /** The event of a resource itself. */
  resourceChanged(change: CacheChange): void {
    const metadata = (change.after ?? change.before)?.metadata;
    if (!metadata || !this.#isOpen(metadata.namespace)) return;
    const urgency = urgencyOf(change);
    // A pass that has to observe its own writes requeues itself.
    if (change.isOwnStatus && urgency === 'child') return;
    this.#queue.add(keyOf(metadata.namespace, metadata.name), urgency);
  }

  /**
   * Handles the event of an object that is or was a child: queues its old and its new controller, or the resource that would
   * get it back. Writes and live gets of this process are events, too: another resource may have caused them.
   */
  childChanged({ before, after }: CacheChange): void {
    for (const object of [before, after]) {
      const key = object && this.#ownerKey(object);
      if (key !== undefined && this.#isOpen(namespaceOf(key))) this.#coalescing.event(key);
    }
  }

  /** The event of an object that may be an orphan, or related: wakes the resources whose last pass looked it up. */
  lookedUpChanged(kind: KindRef, change: CacheChange): void {
    for (const key of this.#context.lookups.affectedBy(kind, change)) this.#coalescing.event(key);
  }

  /** The event of a quota: wakes the resources that it refused something, if it makes room. */
  quotaChanged(change: CacheChange): void {
    const namespace = (change.after ?? change.before)?.metadata.namespace;
    if (namespace === undefined || !makesRoom(change)) return;
    this.#context.quotas.made(namespace, this.#context.now());
  }

  /** A quota may have room for the refused creates of these resources. */
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

  /** A resource may retry a refused write. */
  tryAgain(key: Key): void {
    this.#queue.add(key, 'resync');
  }

  /** An effect of a resource has ended. */
  effectEnded(key: Key): void {
    this.#queue.add(key);
  }

  /**
   * Starts work with a pass over every known resource; the caches must be filled.
   *
   * @param namespace - where it begins. @default everywhere
   */
  start(namespace?: string): void {
    if (this.#stopping.signal.aborted) return;
    this.#open.add(namespace);
    for (const key of this.#context.resources.keys()) {
      const resource = this.#context.resources.get(key);
      if (resource && (namespace === undefined || namespaceOf(key) === namespace))
        this.#queue.add(key, firstUrgencyOf(resource));
    }
    this.#pump();
  }

  /** Begins no more passes, and waits for those under way. */
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
    if (owner === undefined) return restoredKeyOf(this.#context, object);
    const isOurs = owner.kind === kind.kind && groupOf(owner.apiVersion) === groupOf(kind.apiVersion);
    const namespace = definition.scope === 'Cluster' ? '' : object.metadata.namespace;
    return isOurs ? keyOf(namespace, owner.name) : undefined;
  }

  /** Not at once: the cache must have the complete list before a pass reads it. */
  #pumpSoon(): void {
    if (this.#pumpIsDue) return;
    this.#pumpIsDue = true;
    queueMicrotask(() => this.#pump());
  }

  #pump(): void {
    this.#pumpIsDue = false;
    while (this.#open.size > 0 && this.#queue.active < this.#concurrency && this.#hasTime()) {
      const taken = this.#queue.take();
      if (taken === undefined) return;
      const pass = this.#pass(taken);
      this.#passes.add(pass);
      void pass.finally(() => this.#passes.delete(pass));
    }
  }

  /** False when this turn of the event loop has lasted long enough; passes continue in the next one. */
  #hasTime(): boolean {
    const now = this.#timers.elapsed();
    if (this.#turnBegan === undefined) {
      this.#turnBegan = now;
      setImmediate(() => this.#endTurn());
    }
    this.#isLeftOver ||= now - this.#turnBegan >= TURN_MS;
    return !this.#isLeftOver;
  }

  #endTurn(): void {
    this.#turnBegan = undefined;
    if (!this.#isLeftOver) return;
    this.#isLeftOver = false;
    this.#pump();
  }

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

  /** How many children the resource of a key has, as far as is known. */
  #populationOf(key: Key): number {
    const { resources, children, definition } = this.#context;
    const metadata = resources.get(key)?.metadata;
    if (metadata === undefined) return 0;
    const { namespace = '', uid } = metadata;
    const owner = identityOf(definition).wordOf(uid);
    return [...children.values()].reduce((sum, cache) => sum + cache.countOwnedBy(namespace, owner), 0);
  }

  /** Work that a pass leaves to the next one at once is as urgent as the pass, or more; delayed work is not. */
  #addAgain({ key, priority }: Taken, { afterMs = 0, ...more }: Exclude<Result, { next: 'rest' }>): void {
    if (afterMs === 0) this.#queue.add(key, urgencyOfRest(priority, { looksAtStatus: 'looksAtStatus' in more }));
    else this.#queue.addAfter(key, afterMs);
  }

  async #reconcileSafely(key: Key): Promise<Result> {
    try {
      return await reconcile(this.#context, key);
    } catch (error) {
      const { definition, log, metrics, onFailure } = this.#context;
      // The process is about to end; the next leader executes the remaining writes.
      if (error instanceof NotLeadingError) return { next: 'rest' };
      log.error({ key, error }, 'pass failed');
      metrics.panicked();
      onFailure?.({ what: `a pass of ${definition.kind}`, key, error });
      return { next: 'backoff', atLeastMs: 0 };
    }
  }
}
