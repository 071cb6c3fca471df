import { assertConsistent } from '#lib/desired/check/definition-check.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { circleIssues } from '#lib/desired/extension/circles.ts';
import { ownerLabel } from '#lib/desired/marks/names.ts';
import { quotasOf } from '#lib/desired/rights/quota.ts';
import { ConfigurationError } from '#lib/errors.ts';
import { namesOf, refOf } from '#lib/kind/names.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import { fieldManagerOf } from '#lib/loop/cache/field-manager.ts';
import type { Evidence } from '#lib/loop/cache/restored/restores.ts';
import { Restores } from '#lib/loop/cache/restored/restores.ts';
import type { PassHooks } from '#lib/loop/context/hooks.ts';
import type { Key } from '#lib/loop/context/key.ts';
import { type ControllerMetrics, noMetrics } from '#lib/loop/context/metrics.ts';
import { steadyClock } from '#lib/loop/context/steady-clock.ts';
import { Controller, type ControllerState } from '#lib/loop/controller.ts';
import { createEffectRunner, type EffectsOptions, fencedEffects } from '#lib/loop/effects/create-runner.ts';
import type { Leadership } from '#lib/loop/election/leadership.ts';
import { type EventSink, noEvents } from '#lib/loop/events/event.ts';
import { createFlow, type FlowState } from '#lib/loop/flow/flow.ts';
import { Probes, type SharedProbes } from '#lib/loop/flow/probes.ts';
import { QuotaRoom } from '#lib/loop/flow/quota-room.ts';
import { PrunedFields } from '#lib/loop/pass/report/pruned-fields.ts';
import { HeldReleases } from '#lib/loop/related/held-releases.ts';
import { Lookups } from '#lib/loop/related/lookups.ts';
import { assertNamespaces } from '#lib/loop/source/namespaces.ts';
import { createSources, type Sources } from '#lib/loop/source/sources.ts';
import type { WatchProblem, WatchState } from '#lib/loop/source/standing.ts';
import type { SourceSurroundings } from '#lib/loop/source/surroundings.ts';
import { doubtOf, observedBy } from './observed.ts';
import { gatesOf, Starter } from './starter.ts';

/** Options of {@link startManager}. Simulations use the same loop, with an in-memory API server and a virtual clock. */
export interface ManagerOptions extends Omit<SourceSurroundings, 'api' | 'onRestored'>, PassHooks {
  readonly kinds: readonly AnyKindDefinition[];
  readonly api: KubeApi;
  /** The namespace of the operator, in which `elsewhere()` with `any` allows no children. @default unknown */
  readonly ownNamespace?: string;
  /** The client and the allowed hosts of HTTP requests of effects. @default no requests are allowed */
  readonly effects?: EffectsOptions;
  /** Receives the events about resources and their children. @default events are dropped */
  readonly events?: EventSink;
  /**
   * The leadership of this process. Before the leadership begins, the loop only watches. The loop writes only while the
   * leadership lasts.
   * @default every process may write
   */
  readonly leadership?: Leadership;
  /** The maximum number of concurrent passes of one kind. @default 16 */
  readonly concurrency?: number;
  /**
   * The maximum number of concurrent writes of all kinds, an integer ≥ 1. The limit falls while the API server is overloaded.
   * @default 16
   */
  readonly writesInFlight?: number;
  /** The maximum number of concurrent HTTP effects of one kind in one namespace, and also of concurrent dry runs. @default 16 */
  readonly effectConcurrency?: number;
  /**
   * Called when {@link Manager.isReady} has changed, but not by `stop`. A process should be a candidate for the lease only while
   * it is ready. Must not throw.
   */
  readonly onReadiness?: (isReady: boolean) => void;
}

/**
 * The state of a loop as JSON, for bug reports and for comparing states. It contains no objects, but messages in it can contain
 * values of fields.
 */
export interface ManagerState extends FlowState {
  readonly ready: boolean;
  readonly watches: Readonly<Record<string, WatchState>>;
  readonly controllers: readonly ControllerState[];
}

/** A running loop. */
export interface Manager {
  /** Resolves when the process is ready, leads, and has started every kind with filled caches; or after `stop`. */
  readonly started: Promise<void>;
  /**
   * Whether this process works as well as another replica could. Two conditions must hold. Every required cache was filled once,
   * or its watch was refused: with 403, with 404, or with another error for two minutes. No required watch has failed for a local
   * cause for two minutes. False after `stop`.
   */
  isReady(): boolean;
  /**
   * The required watches that fail, or have not filled the cache yet. The passes of a kind begin only when its caches are filled.
   */
  problems(): readonly WatchProblem[];
  /**
   * Handles the evidence of the lease that the storage of the API server was restored from a backup. The passes of a kind decide
   * again when the new lists are in the caches of the kind.
   *
   * @param evidence - the two versions that prove the restore
   * @param seenAtMs - the last time at which the newer state was observed, by `Timers.elapsed`
   */
  storageRestored(evidence: Evidence, seenAtMs: number): void;
  inspect(): ManagerState;
  /** Begins no more passes and closes the watches. Resolves when the running passes have ended. */
  stop(): Promise<void>;
}

const DEFAULT_CONCURRENCY = 16;

/** The name of a controller, as in controller-runtime. If several kinds have the same name, the group is added. */
const controllerName = (definition: AnyKindDefinition, { kinds }: ManagerOptions): string => {
  const isUnique = kinds.every((other) => other === definition || other.kind !== definition.kind);
  return (isUnique ? definition.kind : `${definition.kind}.${definition.group}`).toLowerCase();
};

/**
 * Makes the metrics of a controller. `controller` is a function, because the controller is created after its metrics.
 */
const meterOf = (name: string, options: ManagerOptions, controller: () => Controller): ControllerMetrics => {
  const { metrics = noMetrics, concurrency = DEFAULT_CONCURRENCY } = options;
  const depth = (): number => controller().probe.depth();
  const unfinishedMs = (): readonly number[] => controller().probe.unfinishedMs();
  const staleMs = (): number => controller().probe.staleMs();
  return metrics.controller(name, { concurrency, depth, unfinishedMs, staleMs });
};

const createController = (
  definition: AnyKindDefinition,
  sources: Sources,
  options: ManagerOptions & { readonly probes: SharedProbes },
): Controller => {
  const { api, timers, random, log, concurrency = DEFAULT_CONCURRENCY, events = noEvents } = options;
  const { onFailure, onDecision, onChildWritten, checksFunctions = false, effectConcurrency, ownNamespace } = options;
  const kind = refOf(definition);
  const stopping = new AbortController();
  const fieldManager = fieldManagerOf(definition);
  const now = steadyClock(timers);
  const ownLog = log.child({ controller: controllerName(definition, options) });
  const onEnd = (key: Key): void => controller.effectEnded(key);
  const caches = {
    resources: sources.of(kind).cache,
    children: new Map(definition.owns.map((owned) => [owned, sources.of(owned).cache])),
  };
  const shared = { definition, api, now, random, log: ownLog, fieldManager };
  const context = {
    ...shared,
    kind,
    effects: createEffectRunner(
      { ...shared, timers, onEnd, ...(effectConcurrency !== undefined && { concurrency: effectConcurrency }) },
      options.effects,
    ),
    stopping: stopping.signal,
    metrics: meterOf(controllerName(definition, options), options, () => controller),
    events,
    ...(onFailure && { onFailure }),
    ...(onChildWritten && { onChildWritten }),
    ...(onDecision && { onDecision }),
    checksFunctions,
    ...(ownNamespace !== undefined && { ownNamespace }),
    related: new Map((definition.reads ?? []).map((read) => [read, sources.ofRead(read).cache])),
    isObserved: observedBy(sources),
    lookups: new Lookups({ ownNamespace }),
    quotas: new QuotaRoom((keys, notBefore) => controller.tryRoom(keys, notBefore)),
    probes: new Probes({
      ...options.probes,
      name: controllerName(definition, options),
      wake: (key) => controller.tryAgain(key),
    }),
    pruned: new PrunedFields({ definition, log: ownLog, now }),
    memory: new Map(),
    held: new HeldReleases({ definition, log: ownLog, ...caches }),
    ...caches,
    isInDoubt: doubtOf(definition, sources),
  };
  const controller: Controller = new Controller({ context, timers, stopping, concurrency });
  tell(controller, definition, sources);
  return controller;
};

const tell = (controller: Controller, definition: AnyKindDefinition, sources: Sources): void => {
  const { owns, reads = [] } = definition;
  sources.of(refOf(definition)).listen((change) => controller.resourceChanged(change));
  for (const owned of owns) sources.of(owned).listen((change) => controller.childChanged(change));
  for (const quota of quotasOf(definition)) sources.of(quota).listen((change) => controller.quotaChanged(change));
  // An orphan is never elsewhere, and the look-ups elsewhere have a source of their own.
  const adoptable = owns.filter(({ elsewhere }) => elsewhere === undefined);
  const looked = [...adoptable.map((kind) => sources.of(kind)), ...reads.map((kind) => sources.ofRead(kind))];
  for (const source of new Set(looked)) source.listen((change) => controller.lookedUpChanged(source.kind, change));
};

const assertDistinct = (kinds: readonly AnyKindDefinition[]): void => {
  if (kinds.length === 0) throw new ConfigurationError('Cannot start: kinds is empty; name at least one definition');
  const names = kinds.map((kind) => namesOf(kind).crdName);
  const labels = kinds.map(ownerLabel);
  const twice = names.find(
    (name, index) => names.indexOf(name) !== index || labels.indexOf(labels[index] ?? '') !== index,
  );
  if (twice === undefined) return;
  throw new ConfigurationError(
    `Cannot start: kinds names ${twice} twice, and two loops would fight; list every kind once`,
  );
};

const assertNoCircle = (kinds: readonly AnyKindDefinition[]): void => {
  const [circle] = circleIssues(kinds);
  if (circle) throw new ConfigurationError(`Cannot start: ${circle.path}: ${circle.message}; ${circle.fix ?? ''}`);
};

/**
 * Starts the loop for some kinds: one cache per resource, which kinds share, and one controller per kind.
 *
 * Flow: every resource is listed and watched → the caches are filled → this process becomes the leader, if leader election is
 * used → each controller starts when the caches of its kind are filled. If each namespace has its own watch, the controller
 * starts namespace by namespace.
 *
 * Guarantees: no pass of a kind begins before the first lists of all caches of the kind, at least for its namespace. No child is
 * therefore pruned because a first list is missing. The caches of children elsewhere are an exception, see `Gate`. The right to
 * read quotas is optional. Without this right, the loop does not observe that a quota has room again. If the list of another
 * resource fails (no CRD yet, no right yet), the loop repeats the list until it succeeds; only the kinds that need the resource
 * wait.
 *
 * Assumptions: a cluster has one running loop per kind; `leadership` can ensure this.
 *
 * @throws {ConfigurationError} before any request: for no kinds, the same kind twice, or incompatible kinds; for invalid
 *   namespaces
 */
export const startManager = (options: ManagerOptions): Manager => {
  const { kinds, log, leadership, namespaces, onReadiness = () => undefined } = options;
  assertDistinct(kinds);
  kinds.forEach(assertConsistent);
  assertNoCircle(kinds);
  if (namespaces !== undefined) assertNamespaces(namespaces, kinds);
  const around = { ...options, onRestored: (evidence: Evidence) => restores.proven(evidence) };
  const onStanding = (): void => {
    starter.look();
    for (const controller of controllers) controller.watchesChanged();
  };
  const sources = createSources(kinds, around, onStanding);
  const flow = createFlow(options);
  const guarded = {
    api: flow.api,
    probes: flow.probes,
    ...(leadership && options.effects && { effects: fencedEffects(options.effects, leadership) }),
  };
  const controllers = kinds.map((definition) => createController(definition, sources, { ...options, ...guarded }));
  const startAnew = (): void => [sources, ...controllers].forEach((part) => part.startAnew());
  const { timers, metrics = noMetrics } = options;
  const restores = new Restores({ timers, log, metrics, startAnew });
  const gates = gatesOf({ kinds, sources, namespaces, controllers });
  const starter: Starter = new Starter({ sources, gates, log, leadership, onReadiness });
  sources.start();
  return {
    started: starter.start(),
    isReady: () => starter.isReady,
    problems: () => sources.problems(),
    storageRestored: (evidence, seenAtMs) => restores.proven(evidence, seenAtMs),
    inspect: () => ({
      ready: starter.isReady,
      watches: sources.inspect(),
      controllers: controllers.map((controller) => controller.inspect()),
      ...flow.inspect(),
    }),
    stop: async () => {
      starter.stop();
      restores.stop();
      flow.close();
      await Promise.all([...controllers.map(async (controller) => controller.stop()), sources.stop()]);
    },
  };
};
