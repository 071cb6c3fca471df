import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { operatorPlaceAmong } from '#lib/desired/marks/operator-place.ts';
import { ConfigurationError, InvalidScriptError } from '#lib/errors.ts';
import { assertRunnable, kindsByService, leftOutNotes } from '#lib/foresight/served/unserved.ts';
import type { JsonObject } from '#lib/json.ts';
import { withoutSecretValues } from '#lib/plan/secret.ts';
import { START_MS } from '#lib/sim/world/step/clock.ts';
import type { WorldStep } from '#lib/sim/world/step/step.ts';
import { perform } from './change/perform.ts';
import { drive } from './drive.ts';
import { ExchangeTeller } from './exchange-teller.ts';
import type { SimulationListener } from './observe/listener.ts';
import type { SimulationReport } from './report/report.ts';
import { emptyScript, readScript, type Script, type ScriptChange } from './script/script.ts';
import { durationMs } from './script/time-text.ts';
import { buildStage, type SimulationStage } from './stage.ts';
import { NOT_FOUND } from './targets/impossible.ts';

/** Options for {@link simulate}. */
export interface SimulateOptions {
  /** The kinds of the operator. */
  readonly kinds: readonly AnyKindDefinition[];
  /** Manifests to apply at the start, in this order. @default none */
  readonly manifests?: readonly JsonObject[];
  /** The script as plain data, parsed from YAML. @default no changes */
  readonly script?: Script;
  /** The manifests that the script refers to, by the file name in the script. @default none */
  readonly files?: Readonly<Record<string, readonly JsonObject[]>>;
  /** Seed of all variations, such as the timing of pods and the delays of the operator. An integer. @default 1 */
  readonly seed?: number;
  /** Namespace of objects without a namespace. @default 'default' */
  readonly namespace?: string;
  /** Aborts the simulation with the signal's reason. @default never */
  readonly signal?: AbortSignal;
  /** Receives each change of the cluster, for a report page. @default none */
  readonly listener?: SimulationListener | undefined;
}

/** The actor of a step: an operator, or the name before the colon of the label. */
export const stepActor = ({ label }: Pick<WorldStep, 'label'>): string =>
  /^(operator-\d+)\b/.exec(label)?.[1] ?? label.slice(0, Math.max(0, label.indexOf(':')));

/** Holds an error that a change of the script threw. The simulation throws the same error after the step. */
interface Thrown {
  error?: unknown;
}

/** The message of an error whose only problem is a missing object; undefined for another error. */
const missingIn = (error: unknown): string | undefined =>
  error instanceof InvalidScriptError && error.issues.every(({ rule }) => rule === NOT_FOUND)
    ? error.issues[0]?.message
    : undefined;

const stepOf = (
  stage: SimulationStage,
  change: ScriptChange,
  { later, thrown }: { readonly later: (atMs: number, change: ScriptChange) => void; readonly thrown: Thrown },
): WorldStep => ({
  label: `user: ${change.verb} ${change.path}`,
  nature: 'script',
  run: () => {
    const { note } = change.fields;
    try {
      const place = stage.observer.timeline.length;
      const done = perform({ targets: stage.targets, change, later });
      for (const [index, { object, what }] of done.entries()) {
        const isPod = object.startsWith('Pod ');
        const pods = isPod ? { pods: { names: [object.slice(object.indexOf('/') + 1)] } } : {};
        const told = typeof note === 'string' ? note : what;
        stage.observer.tellBefore(place + index, { sort: 'change', who: 'user', object, what: told, ...pods });
      }
    } catch (error) {
      const missing = change.mayMiss === true ? missingIn(error) : undefined;
      if (missing === undefined) thrown.error = error;
      else stage.observer.tell({ sort: 'change', who: 'user', object: '', what: `skipped: ${missing}`, isMinor: true });
    }
    return undefined;
  },
});

const manifestChanges = (manifests: readonly JsonObject[]): readonly ScriptChange[] =>
  manifests.map((subject, index) => ({ atMs: 0, verb: 'apply', subject, fields: {}, path: `manifests[${index}]` }));

const shown = (object: ServerObject): ServerObject => {
  const { managedFields: _managedFields, ...metadata } = object.metadata;
  return withoutSecretValues({ ...object, metadata });
};

const HIDDEN = new Set(['CustomResourceDefinition', 'Namespace', 'Event', 'Lease', 'Node']);

const finalObjects = ({ targets: { kinds, server } }: SimulationStage): readonly ServerObject[] =>
  kinds.all.filter(({ kind }) => !HIDDEN.has(kind)).flatMap(({ resource }) => server.objects(resource).map(shown));

/** Time after the last change that a run without a duration includes, in milliseconds. */
const TAIL_MS = 10_000;

const run = async (
  stage: SimulationStage,
  changes: readonly ScriptChange[],
  { durationMs, signal }: { readonly durationMs: number | undefined; readonly signal: AbortSignal | undefined },
): Promise<number> => {
  const { world, observer, counter, targets } = stage;
  const thrown: Thrown = {};
  const outside = new ExchangeTeller(stage);
  const afterStep = (): void => {
    signal?.throwIfAborted();
    if ('error' in thrown) throw thrown.error;
    outside.look();
  };
  return drive({
    world,
    changes,
    durationMs,
    stepOf: (change, later) => stepOf(stage, change, { later, thrown }),
    operatorDownUntilMs: () => targets.operatorDownUntilMs,
    onStep: (step) => {
      const who = stepActor(step);
      observer.begins(who);
      counter.from(who);
      if (/^operator-\d+ starts$/.test(step.label)) observer.tell({ sort: 'operator', object: '', what: 'starts' });
    },
    afterStep,
  });
};

/**
 * Runs a script in a virtual cluster and in virtual time, with the real functions, plan and loop.
 *
 * Flow: parse the script → apply manifests at time 0 → each change at its time, with its consequences → report.
 *
 * Guarantees: equal options give equal bytes. The simulation uses no clock, file or network.
 *
 * Assumptions: the functions of the kinds are pure.
 *
 * Caveats: requests take no time. docs/virtual-cluster.md lists the differences from a real cluster.
 *
 * @throws {InvalidScriptError} for a malformed script, or a change that is impossible at its time. A repeated change, or one at a
 *   random time, is skipped if its object does not exist
 * @throws {ConfigurationError} for a seed that is not an integer
 * @throws {UnservedKindError} when the virtual cluster cannot run the kind of a manifest, or can run none of the kinds
 * @throws {SimulationError} when a function of a kind throws or does not return, or the cluster never becomes idle at one instant
 * @example
 * const report = await simulate({ kinds: [podSet], manifests, script: { changes: [{ at: '1m', kill: { of: 'PodSet/web' } }] } });
 */
export const simulate = async (options: SimulateOptions): Promise<SimulationReport> => {
  const { kinds, manifests = [], script = {}, files = {}, seed = 1, namespace = 'default' } = options;
  if (!Number.isSafeInteger(seed))
    throw new ConfigurationError(`Cannot simulate with seed ${seed}: a seed is an integer`);
  const read = readScript(script, seed);
  const byService = kindsByService(kinds, { cluster: 'virtual' });
  const objects = [...manifests, ...Object.values(files).flat()];
  assertRunnable(byService, objects);
  const { listener } = options;
  const ownNamespace = operatorPlaceAmong(objects);
  const stage = buildStage({ kinds, running: byService.served, read, seed, namespace, ownNamespace, files, listener });
  const changes = [...manifestChanges(manifests), ...read.changes];
  if (changes.length === 0) throw emptyScript();
  const wantedMs = durationMs(script.duration);
  const lastChangeMs = await run(stage, changes, { durationMs: wantedMs, signal: options.signal });
  const endMs = wantedMs ?? Math.ceil((lastChangeMs + TAIL_MS) / 1000) * 1000;
  return {
    title: script.title ?? 'Simulation',
    seed,
    startedAt: new Date(START_MS).toISOString(),
    durationMs: endMs,
    lastChangeMs,
    timeline: stage.observer.timeline,
    resources: stage.observer.stories(endMs),
    final: finalObjects(stage),
    requests: stage.counter.counts,
    steps: stage.world.trace.entries.length,
    notes: leftOutNotes(byService),
  };
};
