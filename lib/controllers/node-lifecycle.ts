import { resources } from '#lib/apiserver/machinery/resources.ts';
import { timestamp } from '#lib/apiserver/machinery/timestamp.ts';
import type { Actor } from './actor.ts';
import { conditionOf, withoutCondition } from './conditions.ts';
import { type ActorContext, fieldManagers, requestFor, updateOf } from './context.ts';
import { keyOf } from './informer.ts';
import { unreachableStatus } from './kubelet-plan.ts';
import type { VirtualNodes } from './nodes.ts';
import { isReady, isTerminal } from './pod-state.ts';
import { type Sync, SyncController, type Write } from './sync-controller.ts';
import type { Pod, PodStatus } from './workload.ts';

/** How long a node is silent before its pods are not ready any more (`--node-monitor-grace-period`), in milliseconds. */
const MONITOR_GRACE_MS = 50_000;

/** What admission adds to pods that do not say how long they tolerate it, in seconds. */
const DEFAULT_TOLERATION = 300;

const UNREACHABLE = 'node.kubernetes.io/unreachable';

/** Seconds that a pod stays on an unreachable node; Infinity: for ever. @see k8s.io/kubernetes v1.36.4 pkg/controller/tainteviction/taint_eviction.go (`getMinTolerationTime`) */
const tolerationOf = ({ spec }: Pod): number => {
  if (spec.tolerations === undefined) return DEFAULT_TOLERATION;
  const matching = spec.tolerations.filter(
    ({ key, effect, operator }) =>
      (key === UNREACHABLE || (key === undefined && operator === 'Exists')) &&
      (effect === undefined || effect === 'NoExecute'),
  );
  if (matching.length === 0) return 0;
  return Math.min(...matching.map(({ tolerationSeconds = Infinity }) => Math.max(0, tolerationSeconds)));
};

const disrupted = ({ status = {}, metadata }: Pod, now: number): PodStatus => ({
  ...status,
  conditions: [
    ...withoutCondition(status.conditions, 'DisruptionTarget'),
    {
      type: 'DisruptionTarget',
      ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
      lastProbeTime: null,
      lastTransitionTime: timestamp(now),
    },
  ],
});

const report = (pod: Pod, status: PodStatus): Write['request'] =>
  updateOf(resources.pods, { ...pod, status }, { manager: fieldManagers.controllers, subresource: 'status' });

/** What is done next about a pod on a lost node. */
const nextWrite = (pod: Pod, since: number, now: number): Write | undefined => {
  const key = keyOf(pod);
  const notReadyAt = since + MONITOR_GRACE_MS;
  if (isReady(pod)) {
    return {
      label: `mark pod ${key} not ready`,
      notBefore: notReadyAt,
      request: report(pod, unreachableStatus(pod, now)),
    };
  }
  const seconds = tolerationOf(pod);
  if (pod.metadata.deletionTimestamp !== undefined || isTerminal(pod) || seconds === Infinity) return undefined;
  const notBefore = notReadyAt + seconds * 1000;
  if (conditionOf(pod.status?.conditions, 'DisruptionTarget')?.reason !== 'DeletionByTaintManager') {
    return { label: `condemn pod ${key}`, notBefore, request: report(pod, disrupted(pod, now)) };
  }
  return { label: `delete pod ${key}`, notBefore, request: requestFor(resources.pods, pod, { verb: 'delete' }) };
};

/**
 * What controllers do about the pods of a lost node: not ready after a while, deleted when they do not tolerate it any
 * longer. They stay terminating, since no kubelet answers.
 */
export const nodeLifecycleController = (context: ActorContext, nodes: VirtualNodes): Actor => {
  const pods = context.informers.of(resources.pods);
  function* sync(key: string): Sync {
    const pod = pods.get(key) as Pod | undefined;
    const since = pod && nodes.lostSince(pod.spec.nodeName ?? '');
    const write = since === undefined ? undefined : nextWrite(pod as Pod, since, context.now());
    if (!write) return {};
    const { code } = yield write;
    return { failed: code >= 300 && code !== 404 };
  }
  const controller = new SyncController({ name: 'node lifecycle controller', context, sync });
  pods.subscribe((now, before) => {
    const pod = now ?? before;
    if (pod && nodes.lostSince((pod as Pod).spec.nodeName ?? '') !== undefined) controller.mark(keyOf(pod));
  });
  nodes.subscribe((name) => {
    for (const pod of pods.all()) if ((pod as Pod).spec.nodeName === name) controller.mark(keyOf(pod));
  });
  return controller;
};
