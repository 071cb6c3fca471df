import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { InvariantError } from '#lib/errors.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import type { ObjectCache } from '#lib/loop/cache/cache.ts';
import type { EffectRunner } from '#lib/loop/effects/runner.ts';
import type { EventSink } from '#lib/loop/events/event.ts';
import type { Probes } from '#lib/loop/flow/probes.ts';
import type { QuotaRoom } from '#lib/loop/flow/quota-room.ts';
import type { PrunedFields } from '#lib/loop/pass/report/pruned-fields.ts';
import type { HeldReleases } from '#lib/loop/related/held-releases.ts';
import type { Lookups } from '#lib/loop/related/lookups.ts';
import type { Logger } from '#lib/telemetry/log.ts';
import type { PassHooks } from './hooks.ts';
import type { Key } from './key.ts';
import type { Memories } from './memory.ts';
import type { ControllerMetrics } from './metrics.ts';

/** The services and settings of all passes of one kind. */
export interface Context extends PassHooks {
  readonly definition: AnyKindDefinition;
  /** The handle of the kind of the resources. */
  readonly kind: KindRef;
  readonly api: KubeApi;
  /** The current time in epoch milliseconds. It never goes backwards. */
  readonly now: () => number;
  /** Returns a random number, uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics: ControllerMetrics;
  /** Accepts events about resources. The call never blocks. */
  readonly events: EventSink;
  /** Whether `desired` and `finalize` are called twice and must return the same result. @default false */
  readonly checksFunctions?: boolean;
  /** The namespace of the operator, in which `elsewhere()` with `any` allows no children and no look-ups. @default unknown */
  readonly ownNamespace?: string;
  /** The field manager of all writes of this kind. It never changes. */
  readonly fieldManager: string;
  readonly resources: ObjectCache;
  readonly effects: EffectRunner;
  /** The cache of each kind in `owns`. */
  readonly children: ReadonlyMap<KindRef, ObjectCache>;
  /** The cache of each kind in `reads`. */
  readonly related: ReadonlyMap<KindRef, ObjectCache>;
  /**
   * Whether the cache of a kind in `reads` with `elsewhere()` has the objects of a namespace; undefined stands for all namespaces.
   *
   * @default always
   */
  readonly isObserved?: (kind: KindRef, namespace: string | undefined) => boolean;
  /** The look-ups of the last pass of each resource, including those for orphans. */
  readonly lookups: Lookups;
  readonly quotas: QuotaRoom;
  /** The turns of retries after refused writes, and what is known about refusals in each namespace. */
  readonly probes: Probes;
  readonly memory: Memories;
  /** The parents of an extension that wait for consent to the release of their children. @default none waits */
  readonly held?: HeldReleases;
  /**
   * Whether the cache of a namespace may have a state that a restore of the storage has removed. If so, passes make no decisions.
   *
   * @default never
   */
  readonly isInDoubt?: (namespace: string) => boolean;
  /** The status fields that the installed CRD of the kind does not contain, so that the API server drops them. */
  readonly pruned: PrunedFields;
  /** Aborted when no further write may begin. */
  readonly stopping: AbortSignal;
}

/** The cache of a kind in `owns`. @throws {InvariantError} for any other kind */
export const cacheOf = ({ children }: Pick<Context, 'children'>, kind: KindRef): ObjectCache => {
  const cache = children.get(kind);
  if (!cache) throw new InvariantError(`No cache for kind "${kind.kind}", which is owned`);
  return cache;
};

/** Forgets a resource that is gone, or that is being deleted without work for the loop. */
export const forgetResource = ({ memory, lookups, quotas, probes, effects }: Context, key: Key): void => {
  probes.forget(key);
  effects.forget(key);
  memory.delete(key);
  lookups.forget(key);
  quotas.forget(key);
};
