import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { assertConsistent } from '#lib/desired/definition-check.ts';
import { quotasOf } from '#lib/desired/quota.ts';
import { ConfigurationError, type ReconcileError } from '#lib/errors.ts';
import { apiVersionOf, namesOf, refOf } from '#lib/kind/names.ts';
import type { KubeApi } from '#lib/kube/api.ts';
import type { Timers } from '#lib/kube/timers.ts';
import type { Logger } from '#lib/telemetry/log.ts';
import type { Failure } from './context.ts';
import { Controller, type ControllerState } from './controller.ts';
import { createEffectRunner, type EffectsOptions } from './effects/create-runner.ts';
import { fencedEffects } from './effects/fenced-effects.ts';
import { fencedApi } from './election/fenced-api.ts';
import type { Leadership } from './election/leadership.ts';
import { type EventSink, noEvents } from './events/event.ts';
import { fieldManagerOf } from './field-manager.ts';
import type { Key } from './key.ts';
import { type ControllerMetrics, type LoopMetrics, noMetrics } from './metrics.ts';
import type { Decision } from './pass/decision.ts';
import { QuotaRoom } from './quota/quota-room.ts';
import { Lookups } from './related/lookups.ts';
import { assertNamespaces } from './source/namespaces.ts';
import type { WatchState } from './source/source.ts';
import { createSources, type Sources } from './source/sources.ts';
import { steadyClock } from './steady-clock.ts';

/** What the loop takes from outside: with an in-memory server and a virtual clock the same loop is simulated. */
export interface ManagerOptions {
  readonly kinds: readonly AnyKindDefinition[];
  readonly api: KubeApi;
  readonly timers: Timers;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Logger;
  /**
   * The namespaces whose objects are reconciled and watched, each by a list and a watch of its own; objects that belong to
   * no namespace are watched besides. Other namespaces need not even be readable.
   *
   * @default all, by one watch
   */
  readonly namespaces?: readonly string[];
  /** What requests to the world outside of the cluster are made with. @default none may be made */
  readonly effects?: EffectsOptions;
  /** Told of what happens to resources and their children, for people. @default tells nobody */
  readonly events?: EventSink;
  /** @default counts nothing */
  readonly metrics?: LoopMetrics;
  /** Until it is acquired the loop only watches, and is ready; then it writes as long as it lasts. @default none needed */
  readonly leadership?: Leadership;
  /** How long a watch may bring nothing before it counts as dead, in milliseconds; Infinity for any time. @default 90000 */
  readonly silenceMs?: number;
  /** Whether to ask for watches that begin with everything there is. @default true; where the server has none, lists */
  readonly watchLists?: boolean;
  /** How many resources of one kind are worked on at once. @default 16 */
  readonly concurrency?: number;
  /**
   * Whether functions are held to the contract: a look at a field that the kind does not declare throws, and each function is
   * called twice and must give the same. For simulations: objects are kept whole, and calls cost double.
   *
   * @default false
   */
  readonly checksFunctions?: boolean;
  /** Told of every list and watch that failed, before it is tried again. Must not throw. */
  readonly onWatchError?: (error: ReconcileError) => void;
  /** Told of every function of a kind that threw or gave what it must not, and of every pass that failed. Must not throw. */
  readonly onFailure?: (failure: Failure) => void;
  /** Told of every pass when it has decided and has not written yet. Must neither throw nor change anything, and be quick. */
  readonly onDecision?: (decision: Decision) => void;
}

/** What a loop knows and is about: JSON, for bug reports and for telling states apart. No object's content is in it. */
export interface ManagerState {
  readonly ready: boolean;
  /** By resource. */
  readonly watches: Readonly<Record<string, WatchState>>;
  readonly controllers: readonly ControllerState[];
}

/** A running loop. */
export interface Manager {
  /** Resolves when all caches are filled and the controllers have begun to work; without leadership, at `stop`. */
  readonly started: Promise<void>;
  /** True once all caches are filled, until `stop`. */
  isReady(): boolean;
  /** Its state at this moment; changes nothing. */
  inspect(): ManagerState;
  /** Begins no more passes, closes the watches; resolves when the passes under way have ended. */
  stop(): Promise<void>;
}

const DEFAULT_CONCURRENCY = 16;

/** As controller-runtime names controllers; kinds of the same name are told apart by their group. */
const controllerName = (definition: AnyKindDefinition, { kinds }: ManagerOptions): string => {
  const isUnique = kinds.every((other) => other === definition || other.kind !== definition.kind);
  return (isUnique ? definition.kind : `${definition.kind}.${definition.group}`).toLowerCase();
};

/** The probe is asked later than the controller is made. */
const meterOf = (name: string, options: ManagerOptions, controller: () => Controller): ControllerMetrics => {
  const { metrics = noMetrics, concurrency = DEFAULT_CONCURRENCY } = options;
  const depth = (): number => controller().probe.depth();
  const unfinishedMs = (): readonly number[] => controller().probe.unfinishedMs();
  return metrics.controller(name, { concurrency, depth, unfinishedMs });
};

const createController = (definition: AnyKindDefinition, sources: Sources, options: ManagerOptions): Controller => {
  const { api, timers, random, log, concurrency = DEFAULT_CONCURRENCY, events = noEvents } = options;
  const { onFailure = () => undefined, onDecision, checksFunctions = false } = options;
  const kind = refOf(definition);
  const stopping = new AbortController();
  const fieldManager = fieldManagerOf(definition);
  const now = steadyClock(timers);
  const ownLog = log.child({ controller: controllerName(definition, options) });
  const onEnd = (key: Key): void => controller.effectEnded(key);
  const shared = { definition, api, now, random, log: ownLog, fieldManager };
  const context = {
    ...shared,
    kind,
    effects: createEffectRunner({ ...shared, timers, onEnd }, options.effects),
    stopping: stopping.signal,
    metrics: meterOf(controllerName(definition, options), options, () => controller),
    events,
    onFailure,
    ...(onDecision && { onDecision }),
    checksFunctions,
    resources: sources.of(kind).cache,
    children: new Map(definition.owns.map((owned) => [owned, sources.of(owned).cache])),
    related: new Map((definition.reads ?? []).map((read) => [read, sources.of(read).cache])),
    lookups: new Lookups(),
    quotas: new QuotaRoom(),
    memory: new Map(),
  };
  const controller: Controller = new Controller({ context, timers, stopping, concurrency });
  tell(controller, definition, sources);
  return controller;
};

/** Lets a controller hear of every change that may concern its resources. */
const tell = (controller: Controller, definition: AnyKindDefinition, sources: Sources): void => {
  const { owns, reads = [] } = definition;
  sources.of(refOf(definition)).listen((change) => controller.resourceChanged(change));
  for (const owned of owns) sources.of(owned).listen((change) => controller.childChanged(change));
  for (const quota of quotasOf(definition)) sources.of(quota).listen((change) => controller.quotaChanged(change));
  for (const source of new Set([...owns, ...reads].map((kind) => sources.of(kind))))
    source.listen((change) => controller.lookedUpChanged(source.kind, change));
};

const assertDistinct = (kinds: readonly AnyKindDefinition[]): void => {
  if (kinds.length === 0) throw new ConfigurationError('Cannot start: kinds is empty; name at least one definition');
  const names = kinds.map((kind) => namesOf(kind).crdName);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  throw new ConfigurationError(
    `Cannot start: kinds names ${twice} twice, and two loops would fight; list every kind once`,
  );
};

/**
 * Starts the loop for some kinds: one watch per resource, shared between kinds, and one controller per kind.
 *
 * Flow: list and watch every resource → caches → leadership, if there is to be one, and lists anew → controllers.
 *
 * Guarantees: no child is created or deleted before every cache has been filled once, so nothing is pruned for want of
 * knowledge. Quotas need not be readable: without them, what they refuse waits for its back-off. Any other resource that cannot be listed (no CRD yet, no right yet) is tried again for as long as it takes.
 *
 * Assumptions: one running loop per kind and cluster; `leadership` sees to it.
 *
 * Caveats: kinds that do not go together are refused here, before anything is read.
 *
 * @throws {ConfigurationError} for no kinds, the same kind twice, or kinds that do not go together; for namespaces that cannot be
 */
export const startManager = (options: ManagerOptions): Manager => {
  const { kinds, log, leadership } = options;
  assertDistinct(kinds);
  kinds.forEach(assertConsistent);
  if (options.namespaces !== undefined) assertNamespaces(options.namespaces, kinds);
  const sources = createSources(kinds, options);
  const fenced = leadership && {
    api: fencedApi(options.api, leadership),
    ...(options.effects && { effects: fencedEffects(options.effects, leadership) }),
  };
  const controllers = kinds.map((definition) => createController(definition, sources, { ...options, ...fenced }));
  const isLeading = leadership?.mayWrite() ?? true;
  sources.start();
  const { promise: stopping, resolve: setStopping } = Promise.withResolvers<void>();
  let ready = false;
  let stopped = false;
  /** Nothing is written before the caches hold what the last leader wrote. Lists that begin as a leader do so by themselves. */
  const lead = async (): Promise<void> => {
    if (isLeading) return;
    log.info({}, 'caches filled, standing by');
    await Promise.race([leadership?.acquired, stopping]);
    if (!stopped) await sources.refresh();
  };
  const start = async (): Promise<void> => {
    await sources.synced();
    if (stopped) return;
    ready = true;
    await lead();
    if (stopped) return;
    controllers.forEach((controller) => controller.start());
    log.info(
      { kinds: kinds.map((definition) => `${definition.kind}.${apiVersionOf(definition)}`) },
      'caches filled, loop started',
    );
  };
  return {
    started: start(),
    isReady: () => ready,
    inspect: () => ({
      ready,
      watches: sources.inspect(),
      controllers: controllers.map((controller) => controller.inspect()),
    }),
    stop: async () => {
      stopped = true;
      ready = false;
      setStopping();
      await Promise.all([...controllers.map(async (controller) => controller.stop()), sources.stop()]);
    },
  };
};
