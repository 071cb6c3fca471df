import type { ContainerStatus } from 'kubernetes-types/core/v1.js';
import { after, type Clock, secondsBetween } from '#lib/desired/clock.ts';
import type { Condition } from '#lib/desired/result/conditions.ts';
import type { DesiredCondition, DesiredEvent } from '#lib/desired/result/desired.ts';
import { isActive, isReady, type ObservedPod } from './pod-state.ts';

/** The fields of pods that {@link containerFailureOf} needs in addition to those of the handle `Pod`, for `reading(Pod, …)`. */
export const CONTAINER_FIELDS = ['status.containerStatuses', 'status.initContainerStatuses'] as const;

const CONTAINER_FAILURE = 'ContainerFailure';

/**
 * The reason why a container does not run: a reason of the kubelet, or `ImagePullFailed` in place of its reasons for a failed
 * pull of the image.
 */
export type ContainerFailureReason =
  | 'ImagePullFailed'
  | 'InvalidImageName'
  | 'CreateContainerConfigError'
  | 'CreateContainerError'
  | 'RunContainerError'
  | 'CrashLoopBackOff';

/** A container that cannot run. */
export interface ContainerFailure {
  readonly reason: ContainerFailureReason;
  /** The name of the pod. */
  readonly pod: string;
  /**
   * One line without `reason` and the name of the pod. Parts that change with each attempt of the kubelet, such as container ids,
   * are removed.
   */
  readonly message: string;
}

/** The status conditions and the clock for {@link containerFailureOf}. */
export interface ContainerReading {
  /** The conditions in the observed status of the resource. */
  readonly conditions?: readonly Condition[] | undefined;
  readonly clock: Clock;
}

/**
 * Reasons of the kubelet for an image that it cannot get. The kubelet alternates between some of them during one failure.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/v1.36.4/pkg/kubelet/images/types.go
 */
const pullFailures: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'ErrImageNeverPull',
  'ImageInspectError',
  'RegistryUnavailable',
  'SignatureValidationFailed',
]);

/**
 * The kubelet's reasons for a container that it cannot create or start. The kubelet repeats the attempt.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/v1.36.4/pkg/kubelet/container/sync_result.go
 */
const startFailures = [
  'InvalidImageName',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
] as const satisfies readonly ContainerFailureReason[];

const failedStarts: ReadonlySet<string> = new Set(['StartError', 'ContainerCannotRun']);

/** Whether a termination reason means that the container runtime could not start the command. */
export const isFailedStart = (reason: string | undefined): boolean => failedStarts.has(reason ?? '');

/** The run time after which the kubelet resets the crash back-off of a container, in seconds. */
const CALM_SECONDS = 600;

/** The maximum number of characters to read of a kubelet message. */
const READ_LENGTH = 4096;
const MESSAGE_LENGTH = 256;

/**
 * Reduces a kubelet message to one line that is the same at each attempt. Removes container ids, the name of the pod, and
 * possible secrets: values of variables and credentials in URLs.
 */
const still = (message = ''): string =>
  message
    .slice(0, READ_LENGTH)
    .replaceAll(/\s?\(pod: "[^"]*", container: [^)]*\)/g, '')
    .replaceAll(/\b[0-9a-f]{12,64}\b/g, '…')
    .replaceAll(/:\/\/[^/\s@]+@/g, '://')
    .replaceAll(/\b([A-Za-z_]\w*)=[^\s"',;]+/g, '$1=…')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MESSAGE_LENGTH);

const lastEnd = ({ state, lastState }: ContainerStatus) => state?.terminated ?? lastState?.terminated;

type End = NonNullable<ReturnType<typeof lastEnd>>;

/** A time that the kubelet did not report is null. */
const wasShort = ({ startedAt, finishedAt }: End): boolean =>
  !startedAt || !finishedAt || secondsBetween(startedAt, finishedAt) < CALM_SECONDS;

/** Whether a container ends repeatedly. Between two back-offs, the previous condition keeps the result stable. */
const isLooping = (status: ContainerStatus, { conditions = [], clock }: ContainerReading): boolean => {
  const { state = {}, restartCount } = status;
  if (state.waiting?.reason === 'CrashLoopBackOff') return true;
  if (restartCount === 0) return false;
  const was = conditions.some(({ type, reason }) => type === CONTAINER_FAILURE && reason === 'CrashLoopBackOff');
  // The kubelet delays restarts after exit code 0, too. Such an exit counts only if the condition was CrashLoopBackOff before.
  if (state.terminated) return (was || state.terminated.exitCode !== 0) && wasShort(state.terminated);
  const since = state.running?.startedAt;
  return was && !(since && clock.reached(after(since, CALM_SECONDS)));
};

const crashed = (end: End | undefined): string => {
  if (end === undefined) return 'it exits repeatedly';
  const reason = end.reason ? ` (${end.reason})` : '';
  return `it exits repeatedly, the last time with exit code ${end.exitCode}${reason}`;
};

type Reading = Pick<ContainerFailure, 'reason' | 'message'>;

const unstarted = (status: ContainerStatus): Reading | undefined => {
  const { state = {}, image } = status;
  const { reason: waiting = '', message } = state.waiting ?? {};
  if (pullFailures.has(waiting)) {
    const what = image ? `the image ${image}` : 'its image';
    return { reason: 'ImagePullFailed', message: `${what} cannot be pulled: see the events of the pod` };
  }
  const reason = startFailures.find((each) => each === waiting);
  const end = lastEnd(status);
  const isUnstarted = !state.running && end !== undefined && isFailedStart(end.reason);
  if (isUnstarted && (reason === undefined || reason === 'RunContainerError'))
    return { reason: 'RunContainerError', message: still(end.message) };
  return reason && { reason, message: still(message) };
};

const readingOf = (status: ContainerStatus, options: ContainerReading): Reading | undefined => {
  if (status.ready) return undefined;
  const found = unstarted(status);
  if (found !== undefined) return found;
  return isLooping(status, options) ? { reason: 'CrashLoopBackOff', message: crashed(lastEnd(status)) } : undefined;
};

/**
 * Finds the first container of a pod that cannot run, init containers first.
 *
 * @param pod - a pod with {@link CONTAINER_FIELDS}
 * @param options - the conditions in the current status of the resource, and the clock
 * @returns `undefined` if no container fails, or if the pod is ready, has ended or is being deleted
 */
export const containerFailureOf = (pod: ObservedPod, options: ContainerReading): ContainerFailure | undefined => {
  if (isReady(pod) || !isActive(pod)) return undefined;
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  for (const status of [...initContainerStatuses, ...containerStatuses]) {
    const found = readingOf(status, options);
    if (found === undefined) continue;
    const message = `container ${status.name}: ${found.message || 'its pod has no message about it'}`;
    return { reason: found.reason, pod: pod.metadata?.name ?? '', message };
  }
  return undefined;
};

/** The first failure in some pods, in their order. Crash loops come last, because these pods may be ready for some time. */
export const containerFailureIn = (
  pods: readonly ObservedPod[],
  options: ContainerReading,
): ContainerFailure | undefined => {
  let looping: ContainerFailure | undefined;
  for (const pod of pods) {
    const failure = containerFailureOf(pod, options);
    if (failure?.reason === 'CrashLoopBackOff') looping ??= failure;
    else if (failure !== undefined) return failure;
  }
  return looping;
};

/** A sentence about pods, to which the failure is added as the cause. */
export const withContainerFailure = (sentence: string, failure: ContainerFailure | undefined): string =>
  failure === undefined ? sentence : `${sentence}; pod ${failure.pod}: ${failure.reason}: ${failure.message}`;

/** The condition `ContainerFailure`; empty without a failure. */
export const containerFailureConditions = (failure: ContainerFailure | undefined): readonly DesiredCondition[] =>
  failure === undefined
    ? []
    : [
        {
          type: CONTAINER_FAILURE,
          status: 'True',
          reason: failure.reason,
          message: `pod ${failure.pod}, ${failure.message}`,
        },
      ];

/**
 * A warning when a failure begins, or gets another reason. The text does not name the pod, because pods of one template usually
 * have the same failure.
 */
export const containerFailureEvents = (
  failure: ContainerFailure | undefined,
  { conditions = [] }: Pick<ContainerReading, 'conditions'>,
): readonly DesiredEvent[] => {
  if (failure === undefined) return [];
  const { reason, message } = failure;
  const isKnown = conditions.some((condition) => condition.type === CONTAINER_FAILURE && condition.reason === reason);
  return isKnown ? [] : [{ type: 'Warning', reason, message }];
};
