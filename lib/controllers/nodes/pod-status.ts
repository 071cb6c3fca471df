import { timestamp } from '#lib/apiserver/machinery/text/timestamp.ts';
import { findCondition } from '../conditions.ts';
import type { Container, ContainerState, ContainerStatus, PodStatus, StatusCondition, StoredPod } from '../workload.ts';

type Phase = NonNullable<PodStatus['phase']>;
type ReportedCondition = Pick<StatusCondition, 'status'> & { readonly reason?: string; readonly message?: string };

/** The initial status of a container. */
const unseen = ({ name, image = '' }: Container): ContainerStatus => ({
  name,
  state: { waiting: { reason: 'ContainerCreating' } },
  lastState: {},
  ready: false,
  restartCount: 0,
  image,
  imageID: '',
  started: false,
});

/** The container statuses of a pod, as its kubelet last reported them. Containers without a report have the initial status. */
export const containersOf = ({ spec, status }: StoredPod): readonly ContainerStatus[] =>
  spec.containers.map(
    (container) => status?.containerStatuses?.find(({ name }) => name === container.name) ?? unseen(container),
  );

/** The status of a container that has started now. */
export const running = (container: ContainerStatus, now: number, isReady: boolean): ContainerStatus => ({
  ...container,
  state: { running: { startedAt: timestamp(now) } },
  lastState: container.lastState ?? {},
  ready: isReady,
  started: true,
});

/**
 * The terminated state of a container. A terminated container keeps its state. A waiting container gets the exit code 137, as for
 * an unknown status.
 */
export const ended = ({ state }: ContainerStatus, exitCode: number, now: number): ContainerState => {
  const startedAt = state?.running?.startedAt;
  if (state?.terminated) return state;
  if (startedAt === undefined) return { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' } };
  const reason = exitCode === 0 ? 'Completed' : 'Error';
  return { terminated: { exitCode, reason, startedAt, finishedAt: timestamp(now) } };
};

/** The status of a container that has terminated and is not restarted. */
export const stopped = (container: ContainerStatus, exitCode: number, now: number): ContainerStatus => ({
  ...container,
  state: ended(container, exitCode, now),
  ready: false,
  started: false,
});

const named = (containers: readonly ContainerStatus[]): string => `[${containers.map(({ name }) => name).join(' ')}]`;

/** @see k8s.io/kubernetes v1.36.4 pkg/kubelet/status/generate.go (`GenerateContainersReadyCondition`) */
const containersReady = (containers: readonly ContainerStatus[], phase: Phase): ReportedCondition => {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  const unready = containers.filter(({ ready }) => !ready);
  if (unready.length === 0) return { status: 'True' };
  const message = `containers with unready status: ${named(unready)}`;
  return { status: 'False', reason: 'ContainersNotReady', message };
};

/** @see generate.go (`GeneratePodReadyCondition`) */
const podReady = ({ spec, status }: StoredPod, containers: ReportedCondition): ReportedCondition => {
  if (containers.status !== 'True') return containers;
  const problems = (spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const gate = findCondition(status?.conditions, conditionType);
    if (!gate) return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    if (gate.status === 'True') return [];
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${gate.status}`];
  });
  if (problems.length === 0) return containers;
  return { status: 'False', reason: 'ReadinessGatesNotReady', message: problems.join(', ') };
};

const condition = (
  pod: StoredPod,
  type: string,
  { said, now }: { readonly said: ReportedCondition; readonly now: number },
): StatusCondition => {
  const old = findCondition(pod.status?.conditions, type);
  const since = old?.status === said.status ? old.lastTransitionTime : undefined;
  const { generation } = pod.metadata;
  return {
    type,
    ...(generation !== undefined && { observedGeneration: generation }),
    ...said,
    lastProbeTime: null,
    lastTransitionTime: since ?? timestamp(now),
  };
};

/** The data from which a kubelet makes the status of a pod. */
export interface PodReport {
  readonly phase: Phase;
  readonly containers: readonly ContainerStatus[];
  readonly now: number;
  readonly reason?: string;
  readonly message?: string;
  /** Additional conditions, besides the conditions that a kubelet always reports. */
  readonly conditions?: readonly (ReportedCondition & { readonly type: string })[];
}

const own = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];

const conditionsOf = (
  pod: StoredPod,
  { phase, containers, now, conditions: more = [] }: PodReport,
): readonly StatusCondition[] => {
  const ready = containersReady(containers, phase);
  const isUp = containers.some(({ state }) => state?.running);
  const said: [string, ReportedCondition][] = [
    ['PodReadyToStartContainers', { status: isUp ? 'True' : 'False' }],
    ['Initialized', { status: 'True', ...(phase === 'Succeeded' && { reason: 'PodCompleted' }) }],
    ['Ready', podReady(pod, ready)],
    ['ContainersReady', ready],
    ['PodScheduled', { status: 'True' }],
    ...more.map(({ type, ...rest }): [string, ReportedCondition] => [type, rest]),
  ];
  const written = said.map(([type, what]) => condition(pod, type, { said: what, now }));
  const names = new Set([...own, ...more.map(({ type }) => type)]);
  return [...written, ...(pod.status?.conditions ?? []).filter(({ type }) => !names.has(type))];
};

const initStatuses = ({ spec, status }: StoredPod, now: number): readonly ContainerStatus[] =>
  status?.initContainerStatuses ??
  (spec.initContainers ?? []).map((container) => {
    const up = running(unseen(container), now, true);
    if (container.restartPolicy === 'Always') return up;
    return { ...stopped(up, 0, now), ready: true };
  });

/**
 * The status of a pod as its kubelet reports it. Init containers succeed immediately; sidecars run.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/kubelet/kubelet_pods.go (`generateAPIPodStatus`)
 */
export const podStatus = (pod: StoredPod, report: PodReport): PodStatus => {
  const { reason: _, message: __, ...old } = pod.status ?? {};
  const { phase, containers, now, reason, message } = report;
  const { generation } = pod.metadata;
  const init = initStatuses(pod, now);
  return {
    ...old,
    ...(generation !== undefined && { observedGeneration: generation }),
    phase,
    conditions: conditionsOf(pod, report),
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
    startTime: old.startTime ?? timestamp(now),
    ...(init.length > 0 && { initContainerStatuses: init }),
    containerStatuses: containers,
  };
};
