import { resources } from '#lib/apiserver/machinery/resources.ts';
import { timestamp } from '#lib/apiserver/machinery/text/timestamp.ts';
import type { Actor } from '../actor.ts';
import { findCondition, withoutCondition } from '../conditions.ts';
import { type ActorContext, fieldManagers, requestFor, updateOf } from '../context.ts';
import { objectKey } from '../informer.ts';
import { isTerminal } from '../pod-state.ts';
import { type Sync, SyncController, type Write } from '../sync-controller.ts';
import type { StoredPod } from '../workload.ts';
import { matchesNode } from './node-affinity.ts';
import type { VirtualNode, VirtualNodes } from './nodes.ts';
import { unconsideredField } from './scheduling-limits.ts';
import { tolerates, UNSCHEDULABLE } from './tolerations.ts';

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

const reasonsOf = (pod: StoredPod, nodes: readonly VirtualNode[], lost: number): string => {
  const unconsidered = unconsideredField(pod);
  if (unconsidered !== undefined) return `the virtual scheduler does not implement ${unconsidered}`;
  const all = nodes.length;
  const unmatched = all - lost;
  const reasons = [
    ...(unmatched > 0 ? [`${unmatched} node(s) didn't match Pod's node affinity/selector`] : []),
    ...(lost > 0 ? [`${lost} node(s) had untolerated taint(s)`] : []),
  ];
  const said =
    all === 0 ? 'no nodes available to schedule pods' : `0/${all} nodes are available: ${reasons.join(', ')}.`;
  return all === 0
    ? said
    : `${said} no new claims to deallocate, preemption: 0/${all} nodes are available: ${all} Preemption is not helpful for scheduling.`;
};

/** The write of the condition Unschedulable; undefined if the pod has the condition already. */
const unschedulable = (pod: StoredPod, { nodes, context }: World): Write | undefined => {
  const lost = nodes.all.length - nodes.reachable.length;
  const message = reasonsOf(pod, nodes.all, lost);
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
  const { tolerations } = pod.spec;
  const open = nodes.reachable.filter(({ isCordoned }) => isCordoned !== true || tolerates(tolerations, UNSCHEDULABLE));
  const fitting = open.filter(({ name, labels }) =>
    matchesNode(pod.spec, { name, labels: { 'kubernetes.io/hostname': name, ...labels } }),
  );
  const loadOf = ({ name }: VirtualNode): number => load.get(name) ?? 0;
  const [best] = fitting.toSorted((a, b) => loadOf(a) - loadOf(b) || (a.name < b.name ? -1 : 1));
  const write = best && unconsideredField(pod) === undefined ? bind(pod, best.name) : unschedulable(pod, world);
  if (!write) return {};
  const { code } = yield write;
  return { failed: code >= 300 && code !== 404 };
}

/**
 * Binds each pending pod without scheduling gates to the matching node with the fewest pods. A node matches if it is reachable,
 * not cordoned, and meets the node selector and the required node affinity of the pod. A toleration permits a cordoned node. A
 * pod without a matching node, or with an unsupported constraint, stays pending, with a condition that contains the reason.
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
  nodes.subscribe(() => {
    for (const key of waiting) controller.mark(key);
  });
  return controller;
};
