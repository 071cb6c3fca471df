import type { ContainerStatus, PodFailureRule, StatusCondition, StoredJob, StoredPod } from '../workload.ts';
import { type Intervals, overlapOf, parseIntervals, totalOf } from './intervals.ts';
import { failureCountIn, INDEX_FAILURES, isFailedPod } from './job-pods.ts';

/** The consequence of a failed pod for its Job. */
export interface FailureMatch {
  /** The action of the rule that matches; absent when no rule matches. */
  readonly action?: string;
  /** The reason why the Job fails; only with the action `FailJob`. */
  readonly message?: string;
  /** Whether the failure counts towards the limits. */
  readonly isCounted: boolean;
}

const matchingContainer = (
  statuses: readonly ContainerStatus[] = [],
  { containerName, operator, values }: NonNullable<PodFailureRule['onExitCodes']>,
): ContainerStatus | undefined =>
  statuses.find(({ name, state }) => {
    const exitCode = state?.terminated?.exitCode ?? 0;
    const isNamed = containerName === undefined || containerName === name;
    return isNamed && exitCode !== 0 && values.includes(exitCode) === (operator === 'In');
  });

const matchingCondition = (
  conditions: readonly StatusCondition[] = [],
  patterns: NonNullable<PodFailureRule['onPodConditions']>,
): StatusCondition | undefined =>
  conditions.find(({ type, status }) => patterns.some((pattern) => pattern.type === type && pattern.status === status));

/** A description of the failure of a pod if a rule matches; otherwise undefined. */
const failureText = ({ onExitCodes, onPodConditions }: PodFailureRule, pod: StoredPod): string | undefined => {
  const { status, metadata } = pod;
  const key = `${metadata.namespace ?? ''}/${metadata.name}`;
  if (onExitCodes) {
    const container =
      matchingContainer(status?.containerStatuses, onExitCodes) ??
      matchingContainer(status?.initContainerStatuses, onExitCodes);
    return (
      container &&
      `Container ${container.name} for pod ${key} failed with exit code ${container.state?.terminated?.exitCode ?? 0}`
    );
  }
  const condition = onPodConditions && matchingCondition(status?.conditions, onPodConditions);
  return condition && `Pod ${key} has condition ${condition.type}`;
};

/**
 * Applies the first matching rule of the pod failure policy to a failed pod.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/job/pod_failure_policy.go (`matchPodFailurePolicy`)
 */
export const matchFailure = ({ spec }: StoredJob, pod: StoredPod): FailureMatch => {
  for (const [index, rule] of (spec.podFailurePolicy?.rules ?? []).entries()) {
    const text = failureText(rule, pod);
    const { action } = rule;
    if (text === undefined) continue;
    if (action === 'Ignore') return { action, isCounted: false };
    if (action === 'FailJob')
      return { action, isCounted: true, message: `${text} matching ${action} rule at index ${index}` };
    return { action, isCounted: true };
  }
  return { isCounted: true };
};

/**
 * Whether the failure of a pod makes its index fail, by the pod failure policy or by `backoffLimitPerIndex`.
 *
 * @see
 * indexed_job_utils.go (`isIndexFailed`)
 */
export const isIndexFailed = (job: StoredJob, pod: StoredPod): boolean => {
  if (!isFailedPod(pod, job)) return false;
  const { action, isCounted } = matchFailure(job, pod);
  if (action === 'FailIndex') return true;
  return isCounted && failureCountIn(pod, INDEX_FAILURES) >= (job.spec.backoffLimitPerIndex ?? 0);
};

/**
 * The message of the first rule of the success policy that succeeded indexes satisfy; undefined when there is none.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/job/success_policy.go (`matchSuccessPolicy`)
 */
export const matchSuccess = ({ spec }: StoredJob, succeeded: Intervals): string | undefined => {
  const { successPolicy, completions = 0 } = spec;
  const index = (succeeded.length === 0 ? [] : (successPolicy?.rules ?? [])).findIndex(
    ({ succeededIndexes, succeededCount }) => {
      if (succeededIndexes === undefined) return succeededCount !== undefined && totalOf(succeeded) >= succeededCount;
      const required = parseIntervals(succeededIndexes, completions);
      const overlap = overlapOf(required, succeeded);
      return (
        required.length > 0 &&
        (overlap === totalOf(required) || (succeededCount !== undefined && overlap >= succeededCount))
      );
    },
  );
  return index < 0 ? undefined : `Matched rules at index ${index}`;
};
