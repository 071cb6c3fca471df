import { resources } from '#lib/apiserver/machinery/resources.ts';
import { timestamp } from '#lib/apiserver/machinery/text/timestamp.ts';
import type { Actor } from '../actor.ts';
import { findCondition, withoutCondition } from '../conditions.ts';
import { type ActorContext, fieldManagers, requestFor, updateOf } from '../context.ts';
import { objectKey } from '../informer.ts';
import { isReadyPod, isTerminal } from '../pod-state.ts';
import { type Sync, SyncController, type Write } from '../sync-controller.ts';
import type { PodStatus, StoredPod } from '../workload.ts';
import { unreachableStatus } from './kubelet-plan.ts';
import type { VirtualNodes } from './nodes.ts';

/** The time until the pods of an unreachable node are marked as not ready, in milliseconds (`--node-monitor-grace-period`). */
const MONITOR_GRACE_MS = 50_000;

/** The toleration of a pod without `tolerations`, in seconds. The admission of a real cluster adds this toleration. */
const DEFAULT_TOLERATION = 300;

const UNREACHABLE = 'node.kubernetes.io/unreachable';

/**
 * The time that a pod tolerates an unreachable node, in seconds. The value is 300 without `tolerations`, 0 without a matching
 * toleration, Infinity without a limit.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/tainteviction/taint_eviction.go (`getMinTolerationTime`)
 */
const tolerationOf = ({ spec }: StoredPod): number => {
  if (spec.tolerations === undefined) return DEFAULT_TOLERATION;
  const matching = spec.tolerations.filter(
    ({ key, effect, operator }) =>
      (key === UNREACHABLE || (key === undefined && operator === 'Exists')) &&
      (effect === undefined || effect === 'NoExecute'),
  );
  if (matching.length === 0) return 0;
  return Math.min(...matching.map(({ tolerationSeconds = Infinity }) => Math.max(0, tolerationSeconds)));
};

const disrupted = ({ status = {}, metadata }: StoredPod, now: number): PodStatus => ({
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

const report = (pod: StoredPod, status: PodStatus): Write['request'] =>
  updateOf(resources.pods, { ...pod, status }, { manager: fieldManagers.controllers, subresource: 'status' });

/** The next write for a pod on a lost node; undefined if there is none. */
const nextWrite = (pod: StoredPod, since: number, now: number): Write | undefined => {
  const key = objectKey(pod);
  const notReadyAt = since + MONITOR_GRACE_MS;
  if (isReadyPod(pod)) {
    return {
      label: `mark pod ${key} not ready`,
      notBefore: notReadyAt,
      request: report(pod, unreachableStatus(pod, now)),
    };
  }
  const seconds = tolerationOf(pod);
  if (pod.metadata.deletionTimestamp !== undefined || isTerminal(pod) || seconds === Infinity) return undefined;
  const notBefore = notReadyAt + seconds * 1000;
  if (findCondition(pod.status?.conditions, 'DisruptionTarget')?.reason !== 'DeletionByTaintManager') {
    return { label: `condemn pod ${key}`, notBefore, request: report(pod, disrupted(pod, now)) };
  }
  return { label: `delete pod ${key}`, notBefore, request: requestFor(resources.pods, pod, { verb: 'delete' }) };
};

/**
 * Handles the pods of lost nodes. After 50 s, the actor marks the ready pods as not ready. When the toleration of a pod ends, the
 * actor adds the condition DisruptionTarget and deletes the pod, unless it has terminated. The pod stays terminating while the
 * node is lost, because its kubelet does not confirm the deletion.
 */
export const nodeLifecycleController = (context: ActorContext, nodes: VirtualNodes): Actor => {
  const pods = context.informers.of(resources.pods);
  function* sync(key: string): Sync {
    const pod = pods.get(key) as StoredPod | undefined;
    const since = pod && nodes.lostSince(pod.spec.nodeName ?? '');
    const write = since === undefined ? undefined : nextWrite(pod as StoredPod, since, context.now());
    if (!write) return {};
    const { code } = yield write;
    return { failed: code >= 300 && code !== 404 };
  }
  const controller = new SyncController({ name: 'node lifecycle controller', context, sync });
  pods.subscribe((now, before) => {
    const pod = now ?? before;
    if (pod && nodes.lostSince((pod as StoredPod).spec.nodeName ?? '') !== undefined) controller.mark(objectKey(pod));
  });
  nodes.subscribe((name) => {
    for (const pod of pods.all()) if ((pod as StoredPod).spec.nodeName === name) controller.mark(objectKey(pod));
  });
  return controller;
};
