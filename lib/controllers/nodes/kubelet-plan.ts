import { timestamp } from '#lib/apiserver/machinery/text/timestamp.ts';
import { findCondition } from '../conditions.ts';
import { isTerminal } from '../pod-state.ts';
import type { ContainerStatus, PodStatus, StoredPod } from '../workload.ts';
import type { PodBehavior } from './pod-behavior.ts';
import { containersOf, ended, type PodReport, podStatus, running, stopped } from './pod-status.ts';

/** The next action of a kubelet on a pod. */
export interface PodAction {
  /** The verb for the label of the step, such as `start` or `stop`. */
  readonly verb: string;
  /** The earliest time of the action, in epoch milliseconds. @default immediately */
  readonly notBefore?: number;
  /** The status that the kubelet writes. If it is absent, the kubelet removes the pod. */
  readonly status?: PodStatus;
}

/** Input of {@link nextAction}. */
export interface PodView {
  readonly pod: StoredPod;
  readonly behavior: PodBehavior;
  readonly now: number;
  /** Returns an address for a starting pod. */
  readonly address: () => string;
  /** Whether the kubelet reports the observed generation of a running pod after its spec changes. @default false */
  readonly observesChanges?: boolean;
}

const time = (text: string | undefined): number => (text === undefined ? 0 : Date.parse(text));

const isRunning = ({ state }: ContainerStatus): boolean => state?.running !== undefined;

const terminated = ({ state, lastState }: ContainerStatus): ContainerStatus['state'] =>
  state?.terminated ? state : state?.waiting && lastState?.terminated ? lastState : undefined;

/**
 * The phase of a pod after all its containers have terminated.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/kubelet/kubelet_pods.go (`getPhase`)
 */
const endPhase = (containers: readonly ContainerStatus[]): 'Succeeded' | 'Failed' =>
  containers.every(({ state }) => state?.terminated?.exitCode === 0) ? 'Succeeded' : 'Failed';

const stoppedStatus = (
  pod: StoredPod,
  { exitCode, now, ...more }: { readonly exitCode: number; readonly now: number } & Partial<PodReport>,
): PodStatus => {
  const containers = containersOf(pod).map((container) => stopped(container, exitCode, now));
  return podStatus(pod, { phase: endPhase(containers), containers, now, ...more });
};

const terminate = ({ pod, behavior, now }: PodView): PodAction | undefined => {
  const { deletionTimestamp, deletionGracePeriodSeconds: grace = 0 } = pod.metadata;
  if (behavior.neverStops) return undefined;
  // With the grace period 0, the API server has removed the pod itself, unless the pod has finalizers.
  if (isTerminal(pod)) return grace === 0 ? undefined : { verb: 'remove' };
  const deadline = time(deletionTimestamp);
  const isInTime = behavior.stopAfterMs < grace * 1000 || behavior.stopAfterMs === 0;
  const notBefore = isInTime ? deadline - grace * 1000 + behavior.stopAfterMs : deadline;
  const exitCode = isInTime ? behavior.stopExitCode : 137;
  return { verb: 'stop', notBefore, status: stoppedStatus(pod, { exitCode, now }) };
};

const begin = ({ pod, behavior, now, address }: PodView): PodAction => {
  const { status = {} } = pod;
  const isAccepted = status.startTime !== undefined;
  const delayed = behavior.startAfterMs > 0;
  if (delayed && !isAccepted) {
    return { verb: 'accept', status: podStatus(pod, { phase: 'Pending', containers: containersOf(pod), now }) };
  }
  const isReady = behavior.readyAfterMs === 0 && !behavior.neverReady;
  const containers = containersOf(pod).map((container) => running(container, now, isReady));
  const ip = status.podIP ?? address();
  return {
    verb: 'start',
    ...(delayed && { notBefore: time(status.startTime) + behavior.startAfterMs }),
    status: { ...podStatus(pod, { phase: 'Running', containers, now }), podIP: ip, podIPs: [{ ip }] },
  };
};

/**
 * The delay before a restart, in milliseconds: 0 after the first exit, 10 s after the second exit, then twice the previous delay,
 * at most 5 min.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/kubelet/kubelet.go (`initialNodeBackOff`)
 */
export const crashBackoffMs = (restartCount: number): number =>
  restartCount === 0 ? 0 : Math.min(10_000 * 2 ** (restartCount - 1), 300_000);

const restart = ({ pod, behavior, now }: PodView, container: ContainerStatus): PodAction => {
  const last = terminated(container) ?? {};
  const isReady = behavior.readyAfterMs === 0 && !behavior.neverReady;
  const again = { ...running(container, now, isReady), lastState: last, restartCount: container.restartCount + 1 };
  const containers = containersOf(pod).map((other) => (other.name === container.name ? again : other));
  return {
    verb: `restart container ${container.name} of`,
    notBefore: time(last.terminated?.finishedAt) + crashBackoffMs(container.restartCount),
    status: podStatus(pod, { phase: 'Running', containers, now }),
  };
};

/**
 * The status of a pod after one container has terminated. If the restart policy permits no restart and all containers have
 * terminated, the pod has terminated, too.
 */
export const containerEnded = (
  pod: StoredPod,
  { name, exitCode, now }: { readonly name: string; readonly exitCode: number; readonly now: number },
): PodStatus => {
  const { restartPolicy = 'Always' } = pod.spec;
  const isRestarted = restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0);
  const containers = containersOf(pod).map((container): ContainerStatus => {
    if (container.name !== name) return container;
    const end = stopped(container, exitCode, now);
    if (!isRestarted || container.restartCount === 0) return end;
    const seconds = crashBackoffMs(container.restartCount) / 1000;
    const message = `back-off ${seconds}s restarting failed container=${name} pod=${pod.metadata.name}_${pod.metadata.namespace ?? ''}(${pod.metadata.uid})`;
    return {
      ...end,
      state: { waiting: { reason: 'CrashLoopBackOff', message } },
      lastState: ended(container, exitCode, now),
    };
  });
  const isOver = !isRestarted && containers.every(({ state }) => state?.terminated);
  return podStatus(pod, { phase: isOver ? endPhase(containers) : 'Running', containers, now });
};

const goOn = ({ pod, behavior, now }: PodView): PodAction | undefined => {
  const containers = containersOf(pod);
  const { restartPolicy = 'Always' } = pod.spec;
  const restartable = containers.find((container) => {
    const exitCode = terminated(container)?.terminated?.exitCode;
    return exitCode !== undefined && (restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0));
  });
  if (restartable) return restart({ pod, behavior, now, address: () => '' }, restartable);
  const ready = findCondition(pod.status?.conditions, 'Ready');
  const started = containers.filter(isRunning).map(({ state }) => time(state?.running?.startedAt));
  if (ready?.status !== 'True' && !behavior.neverReady && started.length === containers.length) {
    const unreadySince = time(ready?.lastTransitionTime);
    const status = podStatus(pod, {
      phase: 'Running',
      containers: containers.map((container) => ({ ...container, ready: true })),
      now,
    });
    const isNew = findCondition(status.conditions, 'Ready')?.status === 'True' || containers.some((c) => !c.ready);
    if (isNew) return { verb: 'ready', notBefore: Math.max(unreadySince, ...started) + behavior.readyAfterMs, status };
  }
  const next = containers.find(isRunning);
  if (behavior.exitAfterMs === undefined || !next) return undefined;
  return {
    verb: `exit of container ${next.name} of`,
    notBefore: time(next.state?.running?.startedAt) + behavior.exitAfterMs,
    status: containerEnded(pod, { name: next.name, exitCode: behavior.exitCode, now }),
  };
};

const expire = ({ pod, now }: PodView): PodAction | undefined => {
  const { activeDeadlineSeconds } = pod.spec;
  if (activeDeadlineSeconds === undefined || pod.status?.startTime === undefined) return undefined;
  const message = 'Pod was active on the node longer than the specified deadline';
  return {
    verb: 'expire',
    notBefore: time(pod.status.startTime) + activeDeadlineSeconds * 1000,
    status: stoppedStatus(pod, { exitCode: 137, now, phase: 'Failed', reason: 'DeadlineExceeded', message }),
  };
};

const earlier = (a: PodAction | undefined, b: PodAction | undefined): PodAction | undefined => {
  if (!a || !b) return a ?? b;
  return (b.notBefore ?? 0) < (a.notBefore ?? 0) ? b : a;
};

/** Returns the next action of a kubelet on a pod of its node; undefined when there is none. */
export const nextAction = (view: PodView): PodAction | undefined => {
  const { pod } = view;
  if (pod.metadata.deletionTimestamp !== undefined) return terminate(view);
  if (isTerminal(pod)) return undefined;
  const isUp = pod.status?.phase === 'Running';
  if (isUp && view.observesChanges === true && pod.status?.['observedGeneration'] !== pod.metadata.generation) {
    return {
      verb: 'observe',
      status: podStatus(pod, { phase: 'Running', containers: containersOf(pod), now: view.now }),
    };
  }
  return earlier(isUp ? goOn(view) : begin(view), expire(view));
};

/**
 * The status of a pod after the kubelet has evicted it because of low memory.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/kubelet/eviction/eviction_manager.go
 */
export const evictedStatus = (pod: StoredPod, now: number): PodStatus => {
  const message = 'The node was low on resource: memory.';
  return stoppedStatus(pod, {
    exitCode: 137,
    now,
    phase: 'Failed',
    reason: 'Evicted',
    message,
    conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message }],
  });
};

/** The status of a pod after the readiness probes of all its containers have failed. */
export const unreadyStatus = (pod: StoredPod, now: number): PodStatus =>
  podStatus(pod, {
    phase: 'Running',
    containers: containersOf(pod).map((container) => ({ ...container, ready: false })),
    now,
  });

/** The status of a pod on an unreachable node. Only the condition Ready changes. */
export const unreachableStatus = (pod: StoredPod, now: number): PodStatus => ({
  ...pod.status,
  conditions: (pod.status?.conditions ?? []).map((condition) =>
    condition.type === 'Ready'
      ? { ...condition, status: 'False' as const, lastTransitionTime: timestamp(now) }
      : condition,
  ),
});
