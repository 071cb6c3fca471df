import { selects } from '#lib/apiserver/machinery/label-selector.ts';
import { timestamp } from '#lib/apiserver/machinery/text/timestamp.ts';
import { equalJson } from '#lib/json.ts';
import { findCondition, withoutCondition } from '../conditions.ts';
import { availableFrom, isReadyPod } from '../pod-state.ts';
import type { ReplicaSet, ReplicaSetStatus, StatusCondition, StoredPod } from '../workload.ts';

/** The data from which the status of a ReplicaSet is computed. */
export interface ReplicaSetFacts {
  readonly active: readonly StoredPod[];
  readonly terminating: number;
  /** The message of the condition ReplicaFailure. Absent without a failure, and for refusals because the namespace is terminating. */
  readonly failure?: string | undefined;
  readonly now: number;
}

/** The value of `spec.replicas`. The default of the API server is 1. */
export const replicasOf = ({ spec }: { readonly spec: { readonly replicas?: number } }): number => spec.replicas ?? 1;

const failureReason = (active: number, wanted: number): string =>
  active < wanted ? 'FailedCreate' : active > wanted ? 'FailedDelete' : '';

/**
 * The conditions of the status. A first failure adds the condition ReplicaFailure, and a sync without failure removes the
 * condition.
 */
const conditionsWith = (
  replicaSet: ReplicaSet,
  { active, failure, now }: ReplicaSetFacts,
): readonly StatusCondition[] => {
  const conditions = replicaSet.status?.conditions ?? [];
  if (failure === undefined) return withoutCondition(conditions, 'ReplicaFailure');
  if (findCondition(conditions, 'ReplicaFailure')) return conditions;
  return [
    ...conditions,
    {
      type: 'ReplicaFailure',
      status: 'True',
      lastTransitionTime: timestamp(now),
      reason: failureReason(active.length, replicasOf(replicaSet)),
      message: failure,
    },
  ];
};

/**
 * Returns the status of a ReplicaSet. Like Go, omits counts that are zero, except `replicas` and `terminatingReplicas`.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/replicaset/replica_set_utils.go (`calculateStatus`)
 */
export const replicaSetStatus = (replicaSet: ReplicaSet, facts: ReplicaSetFacts): ReplicaSetStatus => {
  const { active, terminating, now } = facts;
  const { template, minReadySeconds = 0 } = replicaSet.spec;
  const matchLabels = template.metadata?.labels ?? {};
  const fullyLabeled = active.filter(({ metadata }) => selects({ matchLabels }, metadata.labels)).length;
  const ready = active.filter(isReadyPod).length;
  const available = active.filter((pod) => (availableFrom(pod, minReadySeconds) ?? Infinity) <= now).length;
  const conditions = conditionsWith(replicaSet, facts);
  return {
    replicas: active.length,
    ...(fullyLabeled > 0 && { fullyLabeledReplicas: fullyLabeled }),
    ...(ready > 0 && { readyReplicas: ready }),
    ...(available > 0 && { availableReplicas: available }),
    terminatingReplicas: terminating,
    ...(replicaSet.metadata.generation !== undefined && { observedGeneration: replicaSet.metadata.generation }),
    ...(conditions.length > 0 && { conditions }),
  };
};

const counts = [
  'replicas',
  'fullyLabeledReplicas',
  'readyReplicas',
  'availableReplicas',
  'observedGeneration',
] as const;

/** Whether the stored status has these counts and conditions. @see replica_set_utils.go (`updateReplicaSetStatus`) */
export const isReported = ({ status = {} }: ReplicaSet, wanted: ReplicaSetStatus): boolean =>
  counts.every((count) => (status[count] ?? 0) === (wanted[count] ?? 0)) &&
  status.terminatingReplicas === wanted.terminatingReplicas &&
  equalJson(status.conditions ?? [], wanted.conditions ?? []);

/** The time at which the next ready pod becomes available, in epoch milliseconds; undefined if there is none. */
export const nextAvailability = (
  active: readonly StoredPod[],
  minReadySeconds: number,
  now: number,
): number | undefined => {
  const times = active.map((pod) => availableFrom(pod, minReadySeconds) ?? Infinity).filter((time) => time > now);
  const next = Math.min(...times);
  return Number.isFinite(next) ? next : undefined;
};
