import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ConfigurationError, type ReconcileError } from '#lib/errors.ts';
import { apiVersionOf, namesOf, refOf } from '#lib/kind/names.ts';
import { type KindRef, resourceName } from '#lib/kind/reference.ts';
import type { ApiObject, KubeApi } from '#lib/kube/api.ts';
import { type Reflector, type ReflectorState, startReflector } from '#lib/kube/reflector.ts';
import type { Timers } from '#lib/kube/timers.ts';
import { type CacheChange, type CacheState, ObjectCache } from '#lib/loop/cache/cache.ts';
import { type Projection, projectionOf, projectResource } from '#lib/loop/cache/projection.ts';
import type { Logger } from '#lib/telemetry/log.ts';
import { adviceFor } from './advice.ts';
import type { Failure } from './context.ts';
import { Controller, type ControllerState } from './controller.ts';
import { steadyClock } from './steady-clock.ts';
import { assertSupported } from './supported.ts';

/** What the loop takes from outside: with an in-memory server and a virtual clock the same loop is simulated. */
export interface ManagerOptions {
  readonly kinds: readonly AnyKindDefinition[];
  readonly api: KubeApi;
  readonly timers: Timers;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Logger;
  /** How many resources of one kind are worked on at once. @default 16 */
  readonly concurrency?: number;
  /** Told of every list and watch that failed, before it is tried again. Must not throw. */
  readonly onWatchError?: (error: ReconcileError) => void;
  /** Told of every function of a kind that threw or gave what it must not, and of every pass that failed. Must not throw. */
  readonly onFailure?: (failure: Failure) => void;
}

/** What a loop knows and is about: JSON, for bug reports and for telling states apart. No object's content is in it. */
export interface ManagerState {
  readonly ready: boolean;
  /** By resource. */
  readonly watches: Readonly<Record<string, ReflectorState & { readonly cache: CacheState }>>;
  readonly controllers: readonly ControllerState[];
}

/** A running loop. */
export interface Manager {
  /** Resolves when all caches are filled and the controllers have begun to work. */
  readonly started: Promise<void>;
  /** True once all caches are filled, until `stop`. */
  isReady(): boolean;
  /** Its state at this moment; changes nothing. */
  inspect(): ManagerState;
  /** Lets the passes under way end, begins no others, closes the watches. */
  stop(): Promise<void>;
}

/** One watch, shared by all kinds that need the resource. */
interface Source {
  readonly kind: KindRef;
  readonly project: Projection;
  readonly cache: ObjectCache;
  readonly listeners: ((change: CacheChange) => void)[];
}

const sourceId = (kind: KindRef): string => `${resourceName(kind)} ${kind.apiVersion}`;

/** What several kinds keep of the same child kind: the union; everything as soon as one keeps everything. */
const unionOfFields = (kinds: readonly KindRef[]): readonly string[] | undefined =>
  kinds.some((kind) => kind.fields === undefined)
    ? undefined
    : [...new Set(kinds.flatMap((kind) => kind.fields ?? []))];

const createSources = (definitions: readonly AnyKindDefinition[]): Map<string, Source> => {
  const own = new Set(definitions.map((definition) => sourceId(refOf(definition))));
  const all = definitions.flatMap((definition) => [refOf(definition), ...definition.owns]);
  const byId = Map.groupBy(all, sourceId);
  return new Map(
    [...byId].map(([id, kinds]) => {
      const listeners: Source['listeners'] = [];
      const project = own.has(id) ? projectResource : projectionOf(unionOfFields(kinds));
      const onChange = (change: CacheChange) => listeners.forEach((listener) => listener(change));
      return [id, { kind: kinds[0] as KindRef, project, cache: new ObjectCache({ project, onChange }), listeners }];
    }),
  );
};

const createController = (
  definition: AnyKindDefinition,
  sources: Map<string, Source>,
  options: ManagerOptions,
): Controller => {
  const { api, timers, random, log, concurrency = 16, onFailure = () => undefined } = options;
  const sourceOf = (kind: KindRef): Source => sources.get(sourceId(kind)) as Source;
  const kind = refOf(definition);
  const stopping = new AbortController();
  const context = {
    definition,
    kind,
    api,
    now: steadyClock(timers),
    random,
    stopping: stopping.signal,
    log: log.child({ kind: definition.kind }),
    onFailure,
    fieldManager: `cdk8s-reconcile/${namesOf(definition).crdName}`,
    resources: sourceOf(kind).cache,
    children: new Map(definition.owns.map((owned) => [owned, sourceOf(owned).cache])),
    memory: new Map(),
  };
  const controller = new Controller({ context, timers, stopping, concurrency });
  sourceOf(kind).listeners.push((change) => controller.resourceChanged(change));
  for (const owned of definition.owns) sourceOf(owned).listeners.push((change) => controller.childChanged(change));
  return controller;
};

const watchStates = (
  sources: ReadonlyMap<string, Source>,
  reflectors: readonly Reflector[],
): ManagerState['watches'] => {
  const states = [...sources].map(([id, { cache }], index) => {
    return [id, { ...(reflectors[index] as Reflector).inspect(), cache: cache.inspect() }] as const;
  });
  return Object.fromEntries(states);
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
 * Flow: list and watch every resource → caches → controllers.
 *
 * Guarantees: no child is created or deleted before every cache has been filled once, so nothing is pruned for want of
 * knowledge. A resource that cannot be listed (no CRD yet, no right yet) is tried again for as long as it takes.
 *
 * Assumptions: one running loop per kind and cluster.
 *
 * Caveats: what the loop does not support yet is refused here, before anything is read.
 *
 * @throws {UnsupportedError} for definitions that ask for more than this version does
 * @throws {ConfigurationError} for no kinds, or the same kind twice
 */
export const startManager = (options: ManagerOptions): Manager => {
  const { kinds, api, timers, random, log } = options;
  assertDistinct(kinds);
  kinds.forEach(assertSupported);
  const sources = createSources(kinds);
  const controllers = kinds.map((definition) => createController(definition, sources, options));
  const reflectors = [...sources.values()].map(({ kind, cache, project }): Reflector => {
    const resource = resourceName(kind);
    const onError = (error: ReconcileError, retryInMs: number): void => {
      log.error(
        { resource, error, advice: adviceFor(error), retryInMs: Math.round(retryInMs) },
        'watch failed, trying again',
      );
      options.onWatchError?.(error);
    };
    return startReflector({
      api,
      resource: kind,
      timers,
      random,
      sink: cache,
      transform: (object) => project(object) as unknown as ApiObject,
      onError,
    });
  });
  let ready = false;
  let stopped = false;
  const start = async (): Promise<void> => {
    await Promise.all(reflectors.map(async (reflector) => reflector.synced));
    if (stopped) return;
    ready = true;
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
      watches: watchStates(sources, reflectors),
      controllers: controllers.map((controller) => controller.inspect()),
    }),
    stop: async () => {
      stopped = true;
      ready = false;
      await Promise.all(controllers.map(async (controller) => controller.stop()));
      await Promise.all(reflectors.map(async (reflector) => reflector.stop()));
    },
  };
};
