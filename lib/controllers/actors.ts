import { builtinKinds } from '#lib/apiserver/builtin/builtin-kinds.ts';
import type { ServedKind } from '#lib/apiserver/machinery/served-kind.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { Actor } from './actor.ts';
import type { ActorContext } from './context.ts';
import { deploymentController } from './deployment-controller.ts';
import { garbageCollector } from './garbage-collector.ts';
import { Informers } from './informer.ts';
import { kubelet } from './kubelet.ts';
import { namespaceController } from './namespace-controller.ts';
import { nodeLifecycleController } from './node-lifecycle.ts';
import { type VirtualNode, VirtualNodes } from './nodes.ts';
import type { PodBehavior } from './pod-behavior.ts';
import { quotaController } from './quota-controller.ts';
import { replicaSetController } from './replica-set-controller.ts';
import { ResourceCatalog } from './resource-catalog.ts';
import { scheduler } from './scheduler.ts';
import type { Pod } from './workload.ts';
import { type WriterOptions, writer } from './writer.ts';

/** Actors by their names in {@link ActorsOptions.only}. */
export type ActorName =
  | 'deployment controller'
  | 'replicaset controller'
  | 'garbage collector'
  | 'namespace controller'
  | 'quota controller'
  | 'scheduler'
  | 'kubelet'
  | 'nodes'
  | 'node lifecycle controller';

/** What the actors of a cluster are made of. */
export interface ActorsOptions {
  readonly server: ApiServer;
  /** The present, in epoch milliseconds. */
  readonly now: () => number;
  /** The kinds that the server serves, besides CustomResourceDefinition and what these define. @default the built-in ones */
  readonly kinds?: readonly ServedKind[];
  /** @default all */
  readonly only?: readonly ActorName[];
  /** @default one, `node-1` */
  readonly nodes?: readonly VirtualNode[];
  /** How the containers of a pod behave; its annotations count more. */
  readonly behavior?: (pod: Pod) => Partial<PodBehavior>;
  /** Other writers. */
  readonly writers?: readonly WriterOptions[];
  /** How long a lost node stays away, in milliseconds. @default 600000 */
  readonly nodeBackAfterMs?: number;
  /** How long a termination hangs that a fault made hang, in milliseconds. @default 600000 */
  readonly hangMs?: number;
  /** Uids of owners that are not stored and exist nevertheless: what they own is no garbage. @default none */
  readonly elsewhere?: ReadonlySet<string>;
  /** Whether kubelets report the generation of a running pod that was changed, as real ones do. @default false: searches have one step less */
  readonly observesChanges?: boolean;
}

/** The actors of one cluster. */
export interface Actors {
  /** In a fixed order. */
  readonly actors: readonly Actor[];
  /** Closes their watches. */
  close(): void;
}

const TEN_MINUTES_MS = 600_000;

/**
 * Creates the actors of a virtual cluster. They start with what is stored, so they may be created at any time.
 *
 * @example
 * const { actors } = createActors({ server, now: () => clock.now() });
 * const [step] = actors.flatMap((actor) => actor.steps());
 * step?.run();
 */
export const createActors = (options: ActorsOptions): Actors => {
  const { server, now, kinds = builtinKinds, only, behavior, hangMs = TEN_MINUTES_MS, writers = [] } = options;
  const { observesChanges = false } = options;
  const informers = new Informers(server);
  const context: ActorContext = { server, now, informers };
  const catalog = new ResourceCatalog(context, kinds);
  const { nodes: list = [{ name: 'node-1' }], nodeBackAfterMs: backAfterMs = TEN_MINUTES_MS } = options;
  const nodes = new VirtualNodes({ nodes: list, backAfterMs, now });
  const makers: Readonly<Record<ActorName, () => Actor>> = {
    kubelet: () => kubelet(context, nodes, { hangMs, observesChanges, ...(behavior && { behavior }) }),
    scheduler: () => scheduler(context, nodes),
    'replicaset controller': () => replicaSetController(context),
    'deployment controller': () => deploymentController(context),
    'garbage collector': () => garbageCollector(context, catalog, options.elsewhere),
    'namespace controller': () => namespaceController(context, catalog),
    'quota controller': () => quotaController(context, catalog),
    nodes: () => nodes,
    'node lifecycle controller': () => nodeLifecycleController(context, nodes),
  };
  const names = (Object.keys(makers) as ActorName[]).filter((name) => only?.includes(name) ?? true);
  const others = writers.map((given) => writer(context, given));
  return { actors: [...names.map((name) => makers[name]()), ...others], close: () => informers.close() };
};
