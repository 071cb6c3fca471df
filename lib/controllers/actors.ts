import { builtinKinds } from '#lib/apiserver/builtin/builtin-kinds.ts';
import { isResource, resources } from '#lib/apiserver/machinery/resources.ts';
import type { ServedKind } from '#lib/apiserver/machinery/served-kind.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { Actor } from './actor.ts';
import { garbageCollector } from './cluster/garbage-collector.ts';
import { namespaceController } from './cluster/namespace-controller.ts';
import { quotaController } from './cluster/quota-controller.ts';
import { ResourceCatalog } from './cluster/resource-catalog.ts';
import { claimProtectionController, volumeProtectionController } from './cluster/storage-protection.ts';
import type { ActorContext } from './context.ts';
import { Informers } from './informer.ts';
import { cronJobController } from './jobs/cron-job-controller.ts';
import { jobController } from './jobs/job-controller.ts';
import { ttlController } from './jobs/ttl-controller.ts';
import { kubelet } from './nodes/kubelet.ts';
import { nodeLifecycleController } from './nodes/node-lifecycle.ts';
import { type VirtualNode, VirtualNodes } from './nodes/nodes.ts';
import type { PodBehavior } from './nodes/pod-behavior.ts';
import { scheduler } from './nodes/scheduler.ts';
import type { StoredPod } from './workload.ts';
import { deploymentController } from './workloads/deployment-controller.ts';
import { replicaSetController } from './workloads/replica-set-controller.ts';
import { daemonSetController } from './workloads/sets/daemon-set-controller.ts';
import { statefulSetController } from './workloads/sets/stateful-set-controller.ts';

/** Names of actors, for {@link ActorsOptions.only}. */
export type ActorName =
  | 'deployment controller'
  | 'replicaset controller'
  | 'daemonset controller'
  | 'statefulset controller'
  | 'claim protection controller'
  | 'volume protection controller'
  | 'job controller'
  | 'cronjob controller'
  | 'ttl-after-finished controller'
  | 'garbage collector'
  | 'namespace controller'
  | 'quota controller'
  | 'scheduler'
  | 'kubelet'
  | 'nodes'
  | 'node lifecycle controller';

/** Options of {@link createActors}. */
export interface ActorsOptions {
  readonly server: ApiServer;
  /** Returns the current time, in epoch milliseconds. */
  readonly now: () => number;
  /**
   * The built-in kinds that the server serves. CustomResourceDefinitions and custom resources need not be listed.
   *
   * @default the built-in kinds of the virtual cluster
   */
  readonly kinds?: readonly ServedKind[];
  /**
   * The names of the actors to create. The volume protection controller is created only if `kinds` has PersistentVolumes.
   * @default all
   */
  readonly only?: readonly ActorName[];
  /** The nodes of the cluster. @default one node, `node-1` */
  readonly nodes?: readonly VirtualNode[];
  /** Returns the behavior of the containers of a pod. Annotations of the pod take precedence. */
  readonly behavior?: (pod: StoredPod) => Partial<PodBehavior>;
  /** Time after which a lost node comes back, in milliseconds. @default 600000 */
  readonly nodeBackAfterMs?: number;
  /**
   * Uids of owners that exist in another cluster. The garbage collector does not delete dependents of these owners.
   *
   * @default none
   */
  readonly elsewhere?: ReadonlySet<string>;
  /**
   * Whether kubelets report the observed generation of a running pod after its spec changes, as real kubelets do.
   *
   * @default false, because the report is one more step for searches
   */
  readonly observesChanges?: boolean;
}

/** The actors of one cluster. */
export interface Actors {
  /** The actors, always in the same order. */
  readonly actors: readonly Actor[];
  /** Closes the watches of the actors. */
  close(): void;
}

const TEN_MINUTES_MS = 600_000;

/**
 * Creates the actors of a virtual cluster. Actors derive their work from the stored objects, so the server may already contain
 * objects.
 *
 * @example
 * const { actors } = createActors({ server, now: () => clock.now() });
 * const [step] = actors.flatMap((actor) => actor.steps());
 * step?.run();
 */
export const createActors = (options: ActorsOptions): Actors => {
  const { server, now, kinds = builtinKinds, only, behavior } = options;
  const { observesChanges = false } = options;
  const informers = new Informers(server);
  const context: ActorContext = { server, now, informers };
  const catalog = new ResourceCatalog(context, kinds);
  const { nodes: list = [{ name: 'node-1' }], nodeBackAfterMs: backAfterMs = TEN_MINUTES_MS } = options;
  const nodes = new VirtualNodes({ nodes: list, backAfterMs, now });
  const makers: Readonly<Record<ActorName, () => Actor>> = {
    kubelet: () => kubelet(context, nodes, { observesChanges, ...(behavior && { behavior }) }),
    scheduler: () => scheduler(context, nodes),
    'replicaset controller': () => replicaSetController(context),
    'deployment controller': () => deploymentController(context),
    'daemonset controller': () => daemonSetController(context, nodes),
    'statefulset controller': () => statefulSetController(context),
    'claim protection controller': () => claimProtectionController(context),
    'volume protection controller': () => volumeProtectionController(context),
    'job controller': () => jobController(context),
    'cronjob controller': () => cronJobController(context),
    'ttl-after-finished controller': () => ttlController(context),
    'garbage collector': () => garbageCollector(context, catalog, options.elsewhere),
    'namespace controller': () => namespaceController(context, catalog),
    'quota controller': () => quotaController(context, catalog),
    nodes: () => nodes,
    'node lifecycle controller': () => nodeLifecycleController(context, nodes),
  };
  const servesVolumes = kinds.some((kind) => isResource(kind, resources.persistentVolumes));
  const names = (Object.keys(makers) as ActorName[])
    .filter((name) => only?.includes(name) ?? true)
    .filter((name) => name !== 'volume protection controller' || servesVolumes);
  return { actors: names.map((name) => makers[name]()), close: () => informers.close() };
};
