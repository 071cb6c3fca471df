import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { type KindRef, Pod } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import type { ApiObject, WatchEvent } from '#lib/kube/interface/api.ts';
import { ObjectCache } from '#lib/loop/cache/cache.ts';
import type { CacheChange } from '#lib/loop/cache/cache-options.ts';
import { fieldManagerOf, fieldOwnersOf } from '#lib/loop/cache/field-manager.ts';
import { withFingerprint } from '#lib/loop/cache/projection/fingerprint.ts';
import { projectionOf, projectResource } from '#lib/loop/cache/projection/projection.ts';
import type { Context } from '#lib/loop/context/context.ts';
import { type Key, keyOf } from '#lib/loop/context/key.ts';
import { noControllerMetrics } from '#lib/loop/context/metrics.ts';
import { steadyClock } from '#lib/loop/context/steady-clock.ts';
import { Controller } from '#lib/loop/controller.ts';
import { createEffectRunner, type EffectsOptions } from '#lib/loop/effects/create-runner.ts';
import type { LoopEvent } from '#lib/loop/events/event.ts';
import { Probes, sharedProbes } from '#lib/loop/flow/probes.ts';
import { QuotaRoom } from '#lib/loop/flow/quota-room.ts';
import { type Result, reconcile } from '#lib/loop/pass/reconcile.ts';
import { PrunedFields } from '#lib/loop/pass/report/pruned-fields.ts';
import { Lookups } from '#lib/loop/related/lookups.ts';
import { clusterScopedAmong } from '#lib/loop/source/needs.ts';
import { createLogger, type Logger } from '#lib/telemetry/log.ts';
import { FakeApi } from './fake-api.ts';
import { ManualTimers } from './manual-timers.ts';
import { shelf } from './shelf-kind.ts';

/** A condition as it is read from a stored status. */
export interface StoredCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration: number;
}

interface Follower {
  readonly kind: KindRef;
  readonly cache: ObjectCache;
  /** Events that happened and were not delivered yet. */
  readonly due: WatchEvent[];
}

/** One kind's loop on the virtual API server and a clock of its own; watches deliver on request. */
export class LoopBench {
  readonly timers = new ManualTimers();
  readonly api: FakeApi;
  readonly kind: KindRef;
  readonly context: Context;
  /** All events that the loop recorded, in order. */
  readonly events: LoopEvent[] = [];
  readonly #followers: Follower[];
  readonly #stopping = new AbortController();
  #controller: Controller | undefined;

  constructor(
    definition: AnyKindDefinition = shelf,
    log: Logger = createLogger('silent'),
    { effects }: { readonly effects?: EffectsOptions } = {},
  ) {
    this.kind = refOf(definition);
    this.api = new FakeApi(this.timers, [definition]);
    const onResource = (change: CacheChange): void => this.#controller?.resourceChanged(change);
    const onChild = (change: CacheChange): void => this.#controller?.childChanged(change);
    const resources = new ObjectCache({ project: projectResource, onChange: onResource, onOverlay: onResource });
    const isClusterScoped = clusterScopedAmong([definition]);
    const cachesOf = (kinds: readonly KindRef[], listener: (change: CacheChange) => void) =>
      new Map(
        kinds.map((kind) => {
          const onChange = (change: CacheChange): void => {
            listener(change);
            this.#controller?.lookedUpChanged(kind, change);
          };
          const project = withFingerprint(projectionOf(kind.fields), fieldOwnersOf([definition]));
          return [kind, new ObjectCache({ project, isClusterScoped, onChange, onOverlay: onChange })];
        }),
      );
    const children = cachesOf(definition.owns, onChild);
    const related = cachesOf(definition.reads ?? [], () => undefined);
    const now = steadyClock(this.timers);
    const shared = { definition, api: this.api.client, now, random: () => 0, log };
    const fieldManager = fieldManagerOf(definition);
    const onEnd = (key: Key): void => this.#controller?.effectEnded(key);
    this.context = {
      ...shared,
      kind: this.kind,
      effects: createEffectRunner({ ...shared, timers: this.timers, fieldManager, onEnd }, effects),
      stopping: this.#stopping.signal,
      metrics: noControllerMetrics,
      events: (event) => void this.events.push(event),
      fieldManager,
      resources,
      children,
      related,
      lookups: new Lookups(),
      quotas: new QuotaRoom((keys, notBefore) => this.#controller?.tryRoom(keys, notBefore)),
      probes: new Probes({
        ...sharedProbes(this.timers),
        name: definition.kind,
        wake: (key) => this.#controller?.tryAgain(key),
      }),
      pruned: new PrunedFields({ definition, log, now }),
      memory: new Map(),
    };
    this.#followers = [[this.kind, resources] as const, ...children, ...related].map(([kind, cache]) => {
      const due: WatchEvent[] = [];
      cache.replace([], this.api.resourceVersion);
      this.api.follow(kind, (event) => due.push(event));
      return { kind, cache, due };
    });
  }

  /** A controller on the same caches, which reports every change from now on. */
  controller(options: { readonly concurrency?: number } = {}): Controller {
    const { context, timers } = this;
    const stopping = this.#stopping;
    this.#controller = new Controller({ context, timers, stopping, concurrency: 16, ...options });
    return this.#controller;
  }

  /** Delivers all pending events to the watches. */
  catchUp(): void {
    for (const { cache, due } of this.#followers) for (const event of due.splice(0)) cache.event(event);
  }

  /** Replaces pending events by a list of the current objects. */
  list(): void {
    for (const { kind, cache, due } of this.#followers) {
      due.length = 0;
      cache.replace([...this.api.all(kind)], this.api.resourceVersion);
    }
  }

  /** Creates a resource as a user, and delivers the event. */
  declare(name: string, spec: object): ApiObject {
    const { apiVersion, kind } = this.kind;
    const object = this.api.put(this.kind, { apiVersion, kind, metadata: { name, namespace: 'default' }, spec });
    this.catchUp();
    return object;
  }

  /** Edits the spec as a user, without delivering the event. */
  edit(name: string, spec: object): void {
    this.api.edit(this.kind, name, (object) => ({ ...object, spec }));
  }

  async pass(name: string): Promise<Result> {
    return reconcile(this.context, keyOf('default', name));
  }

  /** Runs passes and watch events in turn until the resource rests or has to wait; returns the last result. */
  async converge(name: string): Promise<Result> {
    for (let passes = 0; passes < 20; passes += 1) {
      const result = await this.pass(name);
      this.catchUp();
      if (result.next === 'rest' || result.next === 'backoff') return result;
      await this.timers.advance(result.afterMs);
    }
    throw new Error(`"${name}" did not come to rest within 20 passes`);
  }

  pods(): readonly ApiObject[] {
    return this.api.all(Pod);
  }

  podNames(): string[] {
    return this.pods().map(({ metadata }) => metadata.name);
  }

  statusOf(name: string): Readonly<Record<string, unknown>> {
    return (this.api.one(this.kind, name)['status'] ?? {}) as Record<string, unknown>;
  }

  conditionOf(name: string, type: string): StoredCondition | undefined {
    const conditions = (this.statusOf(name)['conditions'] ?? []) as readonly StoredCondition[];
    return conditions.find((condition) => condition.type === type);
  }
}
