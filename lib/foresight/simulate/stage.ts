import { resources } from '#lib/apiserver/machinery/resources.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { createActors } from '#lib/controllers/actors.ts';
import { updateOf } from '#lib/controllers/context.ts';
import { nextAction } from '#lib/controllers/nodes/kubelet-plan.ts';
import type { StoredPod } from '#lib/controllers/workload.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { JsonObject } from '#lib/json.ts';
import { startManager } from '#lib/loop/manager/manager.ts';
import { createClusterServer } from '#lib/sim/cluster.ts';
import { installKinds } from '#lib/sim/world/scenario/crd.ts';
import type { Scenario } from '#lib/sim/world/scenario/scenario.ts';
import { START_MS } from '#lib/sim/world/step/clock.ts';
import { World } from '#lib/sim/world/world.ts';
import { podTiming } from './change/pod-timing.ts';
import type { SimulationListener } from './observe/listener.ts';
import { listening } from './observe/listening.ts';
import { Observer } from './observe/observer.ts';
import { RequestCounter } from './observe/request-counter.ts';
import type { ReadScript } from './script/script.ts';
import { answerRuleOf, readAnswerUrl } from './targets/answer-url.ts';
import { KnownKinds } from './targets/known-kinds.ts';
import { fits } from './targets/pattern.ts';
import type { AnswerRule, ScriptTargets } from './targets/script-targets.ts';

/** Options for {@link buildStage}. */
export interface StageOptions {
  /** Kinds to install. */
  readonly kinds: readonly AnyKindDefinition[];
  /** The installed kinds that the operator runs. */
  readonly running: readonly AnyKindDefinition[];
  readonly read: ReadScript;
  readonly seed: number;
  readonly namespace: string;
  /** See `Scenario.ownNamespace`. */
  readonly ownNamespace: string | undefined;
  readonly files: Readonly<Record<string, readonly JsonObject[]>>;
  /** Receives each change. @default none */
  readonly listener?: SimulationListener | undefined;
}

/** A cluster that is ready for a script, and its observers. */
export interface SimulationStage {
  readonly world: World;
  readonly targets: ScriptTargets;
  readonly observer: Observer;
  readonly counter: RequestCounter;
}

/** The responses to HTTP requests of effects from the script. A request without a matching rule gets the status 404. */
const httpOf = ({ script, changes }: ReadScript, answers: readonly AnswerRule[]): Pick<Scenario, 'http'> => {
  const urls = [
    ...(script.http ?? []).map(({ url }) => url),
    ...changes.flatMap(({ verb, subject }) => (verb === 'answer' ? [String(subject)] : [])),
  ];
  const hosts = [...new Set(urls.flatMap((url) => readAnswerUrl(url)?.host ?? []))];
  if (hosts.length === 0) return {};
  const answer: NonNullable<Scenario['http']>['answer'] = ({ url }) => {
    const rule = answers.findLast((known) => fits(known.url, url));
    return { status: rule?.status ?? 404, body: rule?.body ?? '' };
  };
  return { http: { allowedHosts: hosts, answer } };
};

const restored = (server: ApiServer, pod: StoredPod, now: number): void => {
  const behavior = {
    startAfterMs: 0,
    readyAfterMs: 0,
    neverReady: false,
    exitCode: 0,
    stopAfterMs: 0,
    stopExitCode: 0,
    neverStops: false,
  };
  const action = nextAction({ pod, behavior, now, address: () => '' });
  if (action?.verb !== 'ready') return;
  server.handle(
    updateOf(resources.pods, { ...pod, status: action.status }, { manager: 'kubelet', subresource: 'status' }),
  );
};

/** Servers with only the installed CustomResourceDefinitions, by the list of kinds. New servers are copies of these servers. */
const installed = new WeakMap<readonly AnyKindDefinition[], ApiServer>();

/** A new server with the CustomResourceDefinitions, copied from the cache, because the installation is slow. */
const serverWith = (kinds: readonly AnyKindDefinition[], now: () => number): ApiServer => {
  let server = installed.get(kinds);
  if (server === undefined) {
    server = createClusterServer(() => START_MS);
    installKinds(server, kinds);
    installed.set(kinds, server);
  }
  return server.copy(now);
};

/** Runs a step if there is one. @returns whether there is one */
const happens = (step: { readonly run: () => unknown } | undefined): boolean => {
  step?.run();
  return step !== undefined;
};

const targetsOf = (
  { world, observer }: Pick<SimulationStage, 'world' | 'observer'>,
  given: Pick<ScriptTargets, 'kinds' | 'namespace' | 'files' | 'nodes' | 'answers' | 'failing'>,
): ScriptTargets => ({
  ...given,
  server: world.server,
  lost: new Map(),
  operatorDownUntilMs: 0,
  fault: (label) =>
    happens(world.cluster.actors.flatMap((actor) => actor.steps()).find((step) => step.label === label)),
  crashOperator: () => happens(world.cluster.others().find(({ fault }) => fault === 'crash')),
  restore: (pod) => restored(world.server, pod, world.view.nowMs),
  byUid: (owner) => observer.byUid(owner),
});

/** Builds a cluster with the kinds and settings of a script. No step has run in the new cluster. */
export const buildStage = ({
  kinds,
  running,
  read,
  seed,
  namespace,
  ownNamespace,
  files,
  listener,
}: StageOptions): SimulationStage => {
  const { script } = read;
  const failing = new Map<string, number>();
  const answers = (script.http ?? []).map(answerRuleOf);
  const nodes = script.nodes ?? ['node-1'];
  const counter = new RequestCounter();
  const behavior = podTiming(script.pods, { seed, isFailing: ({ metadata }) => failing.has(metadata.uid) });
  const nodeList = nodes.map((name) => ({ name }));
  const scenario: Scenario = {
    name: script.title ?? 'simulation',
    kinds: running,
    ownNamespace,
    script: [],
    actors: (server, now) => createActors({ server, now, nodes: nodeList, behavior, nodeBackAfterMs: Infinity }).actors,
    start: (options) => startManager(listening(options, observer)),
    ...httpOf(read, answers),
    outcome: () => null,
  };
  const world = new World({ scenario, seed, createServer: (now) => counter.over(serverWith(kinds, now)) });
  const known = new KnownKinds(kinds);
  const { server } = world;
  const elapsedMs = (): number => world.elapsedMs;
  const observer: Observer = new Observer({ server, kinds: known, own: running, elapsedMs, listener });
  counter.begin();
  const targets = targetsOf({ world, observer }, { kinds: known, namespace, files, nodes, answers, failing });
  return { world, targets, observer, counter };
};
