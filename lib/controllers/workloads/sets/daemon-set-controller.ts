import { selects, selectsEverything } from '#lib/apiserver/machinery/label-selector.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import type { Actor } from '../../actor.ts';
import { type ActorContext, fieldManagers, updateOf } from '../../context.ts';
import { objectKey } from '../../informer.ts';
import { clusterNodes, isOtherNode } from '../../nodes/cluster-nodes.ts';
import type { VirtualNodes } from '../../nodes/nodes.ts';
import { claim, markFamilies, OwnedIndex } from '../../ownership.ts';
import { type Sync, SyncController, type SyncResult, type Writes } from '../../sync-controller.ts';
import type { PodSpec, PodTemplate, StoredPod } from '../../workload.ts';
import { RefusedWriteError } from '../deployment-writes.ts';
import { createPods, podFrom } from '../pod-creation.ts';
import { deletePod } from '../pod-deletion.ts';
import { nextAvailability } from '../replica-set-status.ts';
import { cleanUpHistory, constructHistory, type DaemonHistory } from './daemon-set-history.ts';
import { daemonTolerations, targetNode } from './daemon-set-nodes.ts';
import { type DaemonChanges, type DaemonView, neededChanges, podsByNode } from './daemon-set-pods.ts';
import { rollingChanges, TEMPLATE_GENERATION, templateGeneration } from './daemon-set-rollout.ts';
import { daemonSetStatus, isDaemonStatusStored } from './daemon-set-status.ts';
import { FailedPodBackoff } from './failed-pod-backoff.ts';
import { REVISION_HASH } from './revisions.ts';
import type { StoredDaemonSet } from './stored-sets.ts';

/** @see k8s.io/kubernetes v1.36.4 pkg/controller/daemon/daemon_controller.go (`BurstReplicas`) */
const BURST_REPLICAS = 250;

/** Number of retries after a refused status write (`StatusUpdateRetries`). */
const STATUS_RETRIES = 1;

interface World {
  readonly context: ActorContext;
  readonly nodes: VirtualNodes;
  readonly pods: OwnedIndex;
  readonly revisions: OwnedIndex;
  readonly backoff: FailedPodBackoff;
}

const backoffKey = ({ metadata, status }: StoredDaemonSet, node: string): string =>
  `${metadata.uid}/${status?.observedGeneration ?? 0}/${node}`;

/**
 * The template of the pod for a node, with the node affinity and the tolerations of DaemonSet pods.
 *
 * @see daemonset_util.go
 * (`CreatePodTemplate`, `ReplaceDaemonSetPodNodeNameNodeAffinity`)
 */
const templateFor = ({ set, hash }: DaemonView, node: string): PodTemplate => {
  const { metadata = {}, spec } = set.spec.template;
  const pod = spec as unknown as PodSpec;
  const generation = templateGeneration(set);
  const only = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] };
  const required = { nodeSelectorTerms: [only] };
  const nodeAffinity = { ...pod.affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required };
  return {
    metadata: {
      ...metadata,
      labels: {
        ...metadata.labels,
        ...(generation !== undefined && { [TEMPLATE_GENERATION]: generation }),
        ...(hash !== '' && { [REVISION_HASH]: hash }),
      },
    },
    spec: { ...spec, affinity: { ...pod.affinity, nodeAffinity }, tolerations: daemonTolerations(pod) },
  };
};

/**
 * Creates and deletes pods, at most {@link BURST_REPLICAS} each.
 *
 * @returns whether a write failed
 * @see daemon_controller.go
 * (`syncNodes`)
 */
function* apply(view: DaemonView, { create, remove }: DaemonChanges, { context, backoff }: World): Writes<boolean> {
  const { set } = view;
  const bodies = create.slice(0, BURST_REPLICAS).map((node) => podFrom(set, templateFor(view, node)));
  const { failure, isNamespaceEnding } = yield* createPods(set, bodies);
  let failed = failure !== undefined || isNamespaceEnding;
  for (const pod of remove.slice(0, BURST_REPLICAS)) {
    if ((yield* deletePod(pod)) !== undefined) failed = true;
    const node = targetNode(pod);
    if (pod.status?.phase === 'Failed' && node !== undefined) backoff.next(backoffKey(set, node), context.now());
  }
  return failed;
}

/** @returns whether a write failed @see daemon_controller.go (`updateDaemonSet`) */
function* updatePods(
  view: DaemonView,
  { old, all }: Pick<DaemonHistory, 'old'> & { readonly all: readonly StoredPod[] },
  world: World,
): Writes<boolean> {
  const { set, now } = view;
  const isHeld = (node: string): boolean => world.backoff.endOf(backoffKey(set, node), now) !== undefined;
  const needed = neededChanges(view, isHeld);
  if (yield* apply(view, needed, world)) return true;
  // As in the real controller, the rolling update continues in a later sync, after these writes.
  const isDone = needed.create.length + needed.remove.length === 0;
  if (isDone && (yield* apply(view, rollingChanges(view), world))) return true;
  try {
    yield* cleanUpHistory(set, old, all);
    return false;
  } catch (error) {
    if (error instanceof RefusedWriteError) return true;
    throw error;
  }
}

/** Updates the status. After a refused write, repeats it once with the current object and the same status. */
function* reportStatus(view: DaemonView, { informers }: ActorContext): Writes<boolean> {
  const { set } = view;
  const status = daemonSetStatus(view);
  if (isDaemonStatusStored(set, status)) return true;
  let current: ServerObject | undefined = set;
  for (let attempt = 0; attempt <= STATUS_RETRIES && current; attempt += 1) {
    const { code } = yield {
      label: `update status of ${objectKey(set)}`,
      request: updateOf(
        resources.daemonSets,
        { ...current, status },
        { manager: fieldManagers.controllers, subresource: 'status' },
      ),
    };
    if (code < 300) return true;
    current = informers.of(resources.daemonSets).get(objectKey(set));
  }
  return false;
}

/** The time of the next change without an event: a pod becomes available, or the delay of a failed pod ends. */
const nextTime = ({ set, pods, now }: DaemonView, { backoff }: World): SyncResult => {
  const all = [...pods.values()].flat();
  const failed = all.filter(({ status }) => status?.phase === 'Failed');
  const times = [
    nextAvailability(all, set.spec.minReadySeconds ?? 0, now),
    ...failed.map((pod) => backoff.endOf(backoffKey(set, targetNode(pod) ?? ''), now)),
  ].filter((time) => time !== undefined);
  if (times.length === 0) return {};
  return { again: Math.min(...times), why: `pods of ${objectKey(set)} to become available, or to be replaced` };
};

function* syncPods(set: StoredDaemonSet, history: DaemonHistory, world: World): Sync {
  const { context } = world;
  const { uid, namespace = '' } = set.metadata;
  const matches = ({ metadata }: ServerObject): boolean => selects(set.spec.selector, metadata.labels);
  const candidates = [...world.pods.ownedBy(uid), ...world.pods.orphansIn(namespace).filter(matches)];
  const { claimed, failed } = yield* claim(set, candidates, { resource: resources.pods, noun: 'pod', matches });
  if (failed) return { failed };
  const all = claimed as readonly StoredPod[];
  const nodes = clusterNodes(context, world.nodes);
  const view: DaemonView = { set, nodes, pods: podsByNode(all), hash: history.hash, now: context.now() };
  const isRefused = yield* updatePods(view, { old: history.old, all }, world);
  const isReported = yield* reportStatus(view, context);
  return isRefused || !isReported ? { failed: true } : nextTime(view, world);
}

/** @see k8s.io/kubernetes v1.36.4 pkg/controller/daemon/daemon_controller.go (`syncDaemonSet`) */
function* syncDaemonSet(key: string, world: World): Sync {
  const set = world.context.informers.of(resources.daemonSets).get(key) as StoredDaemonSet | undefined;
  if (!set || selectsEverything(set.spec.selector) || set.metadata.deletionTimestamp !== undefined) return {};
  try {
    return yield* syncPods(set, yield* constructHistory(set, world), world);
  } catch (error) {
    if (error instanceof RefusedWriteError) return { failed: true };
    throw error;
  }
}

/**
 * Runs one pod of each DaemonSet on every matching node, or two during an update with surge. Replaces pods after a change of the
 * template, unless the strategy is OnDelete. Updates the status.
 */
export const daemonSetController = (context: ActorContext, nodes: VirtualNodes): Actor => {
  const { informers } = context;
  const daemonSets = informers.of(resources.daemonSets);
  const pods = informers.of(resources.pods);
  const revisions = informers.of(resources.controllerRevisions);
  const backoff = new FailedPodBackoff();
  const world: World = { context, nodes, backoff, pods: new OwnedIndex(pods), revisions: new OwnedIndex(revisions) };
  const controller = new SyncController({
    name: 'daemonset controller',
    context,
    sync: (key) => syncDaemonSet(key, world),
  });
  markFamilies(controller, daemonSets, pods);
  // daemon_controller.go (`addHistory`)
  markFamilies(controller, daemonSets, revisions, { ignoresNew: true });
  informers.of(resources.nodes).subscribe((now, before) => {
    if (isOtherNode(now, before)) for (const set of daemonSets.all()) controller.mark(objectKey(set));
  });
  return {
    name: controller.name,
    steps: () => controller.steps(),
    memory: () => {
      const [delays, queue] = [backoff.memory(), controller.memory()];
      return delays === undefined && queue === undefined ? undefined : { delays, queue };
    },
  };
};
