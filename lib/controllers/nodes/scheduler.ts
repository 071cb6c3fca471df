import { resources } from '#lib/apiserver/machinery/resources.ts';
import { byText } from '#lib/apiserver/machinery/text/order.ts';
import { timestamp } from '#lib/apiserver/machinery/text/timestamp.ts';
import type { Actor } from '../actor.ts';
import { findCondition, withoutCondition } from '../conditions.ts';
import { type ActorContext, fieldManagers, requestFor, updateOf } from '../context.ts';
import { objectKey } from '../informer.ts';
import { isTerminal } from '../pod-state.ts';
import { type Sync, SyncController, type Write } from '../sync-controller.ts';
import type { StoredPod } from '../workload.ts';
import { type ClusterNode, clusterNode, isOtherNode } from './cluster-nodes.ts';
import { matchesNode } from './node-affinity.ts';
import type { VirtualNodes } from './nodes.ts';
import { unconsideredField } from './scheduling-limits.ts';
import { hasUntolerated, tolerates, UNSCHEDULABLE } from './tolerations.ts';

interface World {
  readonly context: ActorContext;
  readonly nodes: VirtualNodes;
  /** Number of pods that have not terminated, by node. */
  readonly load: ReadonlyMap<string, number>;
}

const bind = (pod: StoredPod, node: string): Write => ({
  label: `bind pod ${objectKey(pod)} to ${node}`,
  request: requestFor(resources.pods, pod, {
    verb: 'create',
    subresource: 'binding',
    options: { fieldManager: fieldManagers.scheduler },
    body: {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: pod.metadata.name, namespace: pod.metadata.namespace, uid: pod.metadata.uid },
      target: { kind: 'Node', name: node },
    },
  }),
});

/** Taints that the scheduler ignores, because {@link VirtualNodes} decides which nodes are reachable. */
const REACHABILITY: ReadonlySet<string> = new Set(['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']);

const isRepelled = ({ spec: { tolerations } }: StoredPod, { taints }: ClusterNode): boolean => {
  const others = taints.filter(({ key }) => !REACHABILITY.has(key));
  return hasUntolerated(others, tolerations, ['NoSchedule', 'NoExecute']);
};

/**
 * The reason why a node is not fit for a pod; undefined if the node is fit. The checks have the order of the real plugins.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/scheduler/framework/plugins (`nodeunschedulable`, `tainttoleration`, `nodeaffinity`)
 */
const misfit = (pod: StoredPod, node: ClusterNode, nodes: VirtualNodes): string | undefined => {
  if (node.isCordoned && !tolerates(pod.spec.tolerations, UNSCHEDULABLE)) return 'were unschedulable';
  if (!nodes.isReachable(node.name) || isRepelled(pod, node)) return 'had untolerated taint(s)';
  return matchesNode(pod.spec, node) ? undefined : "didn't match Pod's node affinity/selector";
};

const messageOf = (pod: StoredPod, misfits: readonly string[]): string => {
  const unconsidered = unconsideredField(pod);
  if (unconsidered !== undefined) return `the virtual scheduler does not implement ${unconsidered}`;
  const all = misfits.length;
  if (all === 0) return 'no nodes available to schedule pods';
  const reasons = [...new Set(misfits)].map(
    (reason) => `${misfits.filter((other) => other === reason).length} node(s) ${reason}`,
  );
  return `0/${all} nodes are available: ${reasons.toSorted(byText).join(', ')}. no new claims to deallocate, preemption: 0/${all} nodes are available: ${all} Preemption is not helpful for scheduling.`;
};

/** The write of the condition Unschedulable; undefined if the pod has the condition already. */
const unschedulable = (pod: StoredPod, all: readonly ClusterNode[], { context, nodes }: World): Write | undefined => {
  const message = messageOf(
    pod,
    all.flatMap((node) => misfit(pod, node, nodes) ?? []),
  );
  const old = findCondition(pod.status?.conditions, 'PodScheduled');
  if (old?.reason === 'Unschedulable' && old.message === message) return undefined;
  const condition = {
    type: 'PodScheduled',
    ...(pod.metadata.generation !== undefined && { observedGeneration: pod.metadata.generation }),
    status: 'False',
    reason: 'Unschedulable',
    message,
    lastProbeTime: null,
    lastTransitionTime: old?.status === 'False' ? old.lastTransitionTime : timestamp(context.now()),
  };
  const conditions = [...withoutCondition(pod.status?.conditions, 'PodScheduled'), condition];
  return {
    label: `report pod ${objectKey(pod)} unschedulable`,
    request: updateOf(
      resources.pods,
      { ...pod, status: { ...pod.status, conditions } },
      { manager: fieldManagers.scheduler, subresource: 'status' },
    ),
  };
};

function* schedule(key: string, world: World): Sync {
  const { context, nodes, load } = world;
  const pod = context.informers.of(resources.pods).get(key) as StoredPod | undefined;
  if (!pod || (pod.spec.nodeName ?? '') !== '' || pod.metadata.deletionTimestamp !== undefined) return {};
  if (isTerminal(pod) || (pod.spec.schedulingGates ?? []).length > 0) return {};
  const all = nodes.all.map((node) => clusterNode(context, node));
  const fitting = all.filter((node) => misfit(pod, node, nodes) === undefined);
  const loadOf = ({ name }: ClusterNode): number => load.get(name) ?? 0;
  const [best] = fitting.toSorted((a, b) => loadOf(a) - loadOf(b) || byText(a.name, b.name));
  const write = best && unconsideredField(pod) === undefined ? bind(pod, best.name) : unschedulable(pod, all, world);
  if (!write) return {};
  const { code } = yield write;
  return { failed: code >= 300 && code !== 404 };
}

/**
 * Binds each pending pod without scheduling gates to the matching node with the fewest pods. A node matches if it is reachable,
 * not cordoned, and meets the node selector and the required node affinity of the pod, and the pod tolerates its taints. The
 * labels, the taints and the cordon are those of the stored node, or of the virtual node if none is stored. A toleration permits
 * a cordoned node. A pod without a matching node, or with an unsupported constraint, stays pending, with a condition that
 * contains the reason.
 */
export const scheduler = (context: ActorContext, nodes: VirtualNodes): Actor => {
  const load = new Map<string, number>();
  const pods = context.informers.of(resources.pods);
  const controller = new SyncController({
    name: 'scheduler',
    context,
    sync: (key) => schedule(key, { context, nodes, load }),
  });
  const count = (pod: StoredPod | undefined, change: number): void => {
    const node = pod?.spec.nodeName ?? '';
    if (node !== '' && pod && !isTerminal(pod)) load.set(node, (load.get(node) ?? 0) + change);
  };
  const waiting = new Set<string>();
  pods.subscribe((now, before) => {
    count(before as StoredPod | undefined, -1);
    count(now as StoredPod | undefined, 1);
    const object = (now ?? before) as StoredPod;
    const key = objectKey(object);
    if (now && (object.spec.nodeName ?? '') === '') waiting.add(key);
    else waiting.delete(key);
    controller.mark(key);
  });
  const markWaiting = (): void => {
    for (const key of waiting) controller.mark(key);
  };
  nodes.subscribe(markWaiting);
  context.informers.of(resources.nodes).subscribe((now, before) => {
    if (isOtherNode(now, before)) markWaiting();
  });
  return controller;
};
