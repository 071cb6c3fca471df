import { timestamp } from '#lib/apiserver/machinery/text/timestamp.ts';
import { equalJson } from '#lib/json.ts';
import { findCondition, withoutCondition } from '../conditions.ts';
import type { DeploymentStatus, ReplicaSet, StatusCondition, StoredDeployment } from '../workload.ts';
import { replicasOf } from './replica-set-status.ts';
import { availableOf, maxUnavailable, totalReplicas } from './rolling-update.ts';

/** The ReplicaSets of a Deployment: `newSet` has the current template, and `oldSets` are all others. */
export interface DeploymentSets {
  readonly newSet?: ReplicaSet | undefined;
  readonly oldSets: readonly ReplicaSet[];
}

/** The value of `progressDeadlineSeconds` that means that there is no deadline. */
const NO_DEADLINE = 2 ** 31 - 1;

/** Whether a Deployment has a time limit for a rollout without progress. */
export const hasProgressDeadline = ({ spec }: StoredDeployment): boolean =>
  spec.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== NO_DEADLINE;

/**
 * Sets a condition. If its status and reason do not change, returns the same conditions.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/deployment/util/deployment_util.go (`SetDeploymentCondition`)
 */
export const withDeploymentCondition = (
  conditions: readonly StatusCondition[] | undefined,
  condition: Pick<StatusCondition, 'type' | 'status' | 'reason' | 'message'>,
  now: number,
): readonly StatusCondition[] => {
  const current = findCondition(conditions, condition.type);
  if (current && current.status === condition.status && current.reason === condition.reason) return conditions ?? [];
  const time = timestamp(now);
  const since = current?.status === condition.status ? (current.lastTransitionTime ?? time) : time;
  const { type, status, reason = '', message = '' } = condition;
  const added = { type, status, lastUpdateTime: time, lastTransitionTime: since, reason, message };
  return [...withoutCondition(conditions, type), added];
};

/** The number of terminating pods; undefined if an observed ReplicaSet does not report the number. */
const terminatingOf = (replicaSets: readonly ReplicaSet[]): number | undefined => {
  const seen = replicaSets.filter(({ status = {} }) => status.observedGeneration || status.terminatingReplicas);
  if (seen.some(({ status = {} }) => status.terminatingReplicas === undefined)) return undefined;
  return totalReplicas(seen, ({ status }) => status?.terminatingReplicas ?? 0);
};

const availability = (isAvailable: boolean): Pick<StatusCondition, 'type' | 'status' | 'reason' | 'message'> =>
  isAvailable
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };

/** Leaves out counts of zero, as the JSON encoding of Go does. */
const present = (counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));

/**
 * Returns the part of the status of a Deployment that follows from the replica counts of its ReplicaSets.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/deployment/sync.go (`calculateStatus`)
 */
export const countedStatus = (
  deployment: StoredDeployment,
  { newSet, oldSets }: DeploymentSets,
  now: number,
): DeploymentStatus => {
  const all = newSet ? [...oldSets, newSet] : oldSets;
  const available = totalReplicas(all, availableOf);
  const terminating = terminatingOf(all);
  const { status = {} } = deployment;
  const isAvailable = available >= replicasOf(deployment) - maxUnavailable(deployment);
  return {
    ...present({
      observedGeneration: deployment.metadata.generation ?? 0,
      replicas: totalReplicas(all, (set) => set.status?.replicas ?? 0),
      updatedReplicas: newSet?.status?.replicas ?? 0,
      readyReplicas: totalReplicas(all, (set) => set.status?.readyReplicas ?? 0),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, totalReplicas(all, replicasOf) - available),
    }),
    ...(terminating !== undefined && { terminatingReplicas: terminating }),
    ...(status.collisionCount !== undefined && { collisionCount: status.collisionCount }),
    conditions: withDeploymentCondition(status.conditions, availability(isAvailable), now),
  };
};

/**
 * Whether all desired pods are updated and available, no old pods are left, and the status is of the present generation.
 *
 * @see deployment_util.go (`DeploymentComplete`)
 */
export const isDeploymentComplete = (deployment: StoredDeployment, status: DeploymentStatus): boolean => {
  const desired = replicasOf(deployment);
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0, observedGeneration = 0 } = status;
  const counts = [updatedReplicas, replicas, availableReplicas];
  return counts.every((count) => count === desired) && observedGeneration >= (deployment.metadata.generation ?? 0);
};

const outdated = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus): number => replicas - updatedReplicas;

/** Whether a rollout has made progress since the stored status. @see deployment_util.go (`DeploymentProgressing`) */
const isProgressing = ({ status: old = {} }: StoredDeployment, status: DeploymentStatus): boolean => {
  return (
    (status.updatedReplicas ?? 0) > (old.updatedReplicas ?? 0) ||
    outdated(status) < outdated(old) ||
    (status.readyReplicas ?? 0) > (old.readyReplicas ?? 0) ||
    (status.availableReplicas ?? 0) > (old.availableReplicas ?? 0)
  );
};

/** The time at which a rollout without progress times out, in epoch milliseconds: the time of the condition plus the deadline. */
const deadlineOf = ({ spec }: StoredDeployment, { lastUpdateTime }: StatusCondition): number =>
  Date.parse(lastUpdateTime ?? '') + (spec.progressDeadlineSeconds ?? 0) * 1000;

/** Whether a rollout has exceeded its progress deadline. @see deployment_util.go (`DeploymentTimedOut`) */
const isTimedOut = (deployment: StoredDeployment, condition: StatusCondition | undefined, now: number): boolean => {
  if (!condition || condition.reason === 'NewReplicaSetAvailable') return false;
  return condition.reason === 'ProgressDeadlineExceeded' || deadlineOf(deployment, condition) < now;
};

interface RolloutView {
  readonly deployment: StoredDeployment;
  readonly status: DeploymentStatus;
  readonly newSet?: ReplicaSet | undefined;
  readonly now: number;
}

const progressConditions = ({ deployment, status, newSet, now }: RolloutView): readonly StatusCondition[] => {
  const conditions = status.conditions ?? [];
  const current = findCondition(deployment.status?.conditions, 'Progressing');
  const subject = newSet ? `ReplicaSet "${newSet.metadata.name}"` : `Deployment "${deployment.metadata.name}"`;
  const type = 'Progressing';
  if (isDeploymentComplete(deployment, status)) {
    const message = `${subject} has successfully progressed.`;
    return withDeploymentCondition(
      conditions,
      { type, status: 'True', reason: 'NewReplicaSetAvailable', message },
      now,
    );
  }
  if (isProgressing(deployment, status)) {
    const condition = {
      type,
      status: 'True',
      reason: 'ReplicaSetUpdated',
      message: `${subject} is progressing.`,
    } as const;
    const [added] = withDeploymentCondition([], condition, now);
    const since = current?.status === 'True' && { lastTransitionTime: current.lastTransitionTime ?? '' };
    return [...withoutCondition(conditions, type), ...(added ? [{ ...added, ...since }] : [])];
  }
  if (!isTimedOut(deployment, findCondition(conditions, type), now)) return conditions;
  const message = `${subject} has timed out progressing.`;
  return withDeploymentCondition(
    conditions,
    { type, status: 'False', reason: 'ProgressDeadlineExceeded', message },
    now,
  );
};

/**
 * The condition ReplicaFailure of the new ReplicaSet, otherwise of an old ReplicaSet; undefined if there is none.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/deployment/progress.go (`getReplicaFailures`)
 */
const replicaFailure = ({ newSet, oldSets }: DeploymentSets): StatusCondition | undefined => {
  const sets = newSet ? [newSet, ...oldSets] : oldSets;
  return sets.map(({ status }) => findCondition(status?.conditions, 'ReplicaFailure')).find(Boolean);
};

const withFailure = (
  conditions: readonly StatusCondition[],
  failure: StatusCondition | undefined,
): readonly StatusCondition[] => {
  if (!failure) return withoutCondition(conditions, 'ReplicaFailure');
  const current = findCondition(conditions, failure.type);
  if (current?.status === failure.status && current.reason === failure.reason) return conditions;
  const { type, status, lastTransitionTime = '', reason = '', message = '' } = failure;
  const since = current?.status === status ? (current.lastTransitionTime ?? '') : lastTransitionTime;
  const added = { type, status, lastUpdateTime: lastTransitionTime, lastTransitionTime: since, reason, message };
  return [...withoutCondition(conditions, type), added];
};

/**
 * The complete status of a Deployment. The condition Progressing is absent without a progress deadline, and ReplicaFailure is
 * absent without a failure.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/deployment/progress.go (`syncRolloutStatus`)
 */
export const deploymentRolloutStatus = (
  deployment: StoredDeployment,
  sets: DeploymentSets,
  now: number,
): DeploymentStatus => {
  const status = countedStatus(deployment, sets, now);
  const current = findCondition(deployment.status?.conditions, 'Progressing');
  const isOver =
    (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && current?.reason === 'NewReplicaSetAvailable';
  const { newSet } = sets;
  const conditions = !hasProgressDeadline(deployment)
    ? withoutCondition(status.conditions, 'Progressing')
    : isOver
      ? (status.conditions ?? [])
      : progressConditions({ deployment, status, newSet, now });
  return { ...status, conditions: withFailure(conditions, replicaFailure(sets)) };
};

/** Whether the stored status equals `wanted`. */
export const isStatusReported = ({ status = {} }: StoredDeployment, wanted: DeploymentStatus): boolean =>
  equalJson({ ...status, conditions: status.conditions ?? [] }, { ...wanted, conditions: wanted.conditions ?? [] });

/**
 * Returns when to check whether the rollout has timed out, in epoch milliseconds; undefined when no timeout is pending.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/deployment/progress.go (`requeueStuckDeployment`)
 */
export const progressCheck = (deployment: StoredDeployment, status: DeploymentStatus): number | undefined => {
  const condition = findCondition(deployment.status?.conditions, 'Progressing');
  if (!hasProgressDeadline(deployment) || !condition || isDeploymentComplete(deployment, status)) return undefined;
  if (['ProgressDeadlineExceeded', 'NewReplicaSetAvailable'].includes(condition.reason ?? '')) return undefined;
  return deadlineOf(deployment, condition) + 1000;
};
