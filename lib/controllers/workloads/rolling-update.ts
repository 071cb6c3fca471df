import { memberOf } from '#lib/json.ts';
import type { ReplicaSet, StoredDeployment } from '../workload.ts';
import { byCreation } from './replica-set-order.ts';
import { replicasOf } from './replica-set-status.ts';

/** Annotations of the deployment controller. */
export const annotations = {
  revision: 'deployment.kubernetes.io/revision',
  revisionHistory: 'deployment.kubernetes.io/revision-history',
  desiredReplicas: 'deployment.kubernetes.io/desired-replicas',
  maxReplicas: 'deployment.kubernetes.io/max-replicas',
} as const;

/**
 * Converts an absolute number, or a percentage of a total, to a number. `round` applies to percentages: `25%` of 10 is 2 or 3.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/util/intstr (`GetScaledValueFromIntOrPercent`)
 */
export const scaled = (value: number | string, total: number, round: (value: number) => number): number => {
  if (typeof value === 'number') return value;
  return round((Number.parseInt(value, 10) * total) / 100);
};

/**
 * The values of `maxSurge` and `maxUnavailable` as numbers of pods. At least one of these numbers is not zero.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/deployment/util/deployment_util.go (`ResolveFenceposts`)
 */
const fenceposts = (deployment: StoredDeployment): { readonly surge: number; readonly unavailable: number } => {
  const { maxSurge = 0, maxUnavailable = 0 } = deployment.spec.strategy?.rollingUpdate ?? {};
  const surge = scaled(maxSurge, replicasOf(deployment), Math.ceil);
  const unavailable = scaled(maxUnavailable, replicasOf(deployment), Math.floor);
  return surge === 0 && unavailable === 0 ? { surge, unavailable: 1 } : { surge, unavailable };
};

/** Whether the strategy is a rolling update, which is the default of the API server. */
export const isRollingUpdate = ({ spec }: StoredDeployment): boolean =>
  (spec.strategy?.type ?? 'RollingUpdate') === 'RollingUpdate';

/** Maximum number of pods above the desired number; 0 for the strategy Recreate. */
export const maxSurge = (deployment: StoredDeployment): number =>
  isRollingUpdate(deployment) ? fenceposts(deployment).surge : 0;

/** Maximum number of desired pods that may be unavailable; 0 for the strategy Recreate. */
export const maxUnavailable = (deployment: StoredDeployment): number =>
  isRollingUpdate(deployment) ? Math.min(fenceposts(deployment).unavailable, replicasOf(deployment)) : 0;

/** The sum of a number over all given ReplicaSets. */
export const totalReplicas = (replicaSets: readonly ReplicaSet[], count: (replicaSet: ReplicaSet) => number): number =>
  replicaSets.reduce((sum, replicaSet) => sum + count(replicaSet), 0);

/** The number of available pods in the status of a ReplicaSet. */
export const availableOf = ({ status }: ReplicaSet): number => status?.availableReplicas ?? 0;

/** The ReplicaSets with a size above zero. */
export const activeSets = (replicaSets: readonly ReplicaSet[]): readonly ReplicaSet[] =>
  replicaSets.filter((replicaSet) => replicasOf(replicaSet) > 0);

/** The next size of the new ReplicaSet, which has the size `current` now. @see deployment_util.go (`NewRSNewReplicas`) */
export const newReplicas = (deployment: StoredDeployment, all: readonly ReplicaSet[], current: number): number => {
  const desired = replicasOf(deployment);
  if (!isRollingUpdate(deployment)) return desired;
  const total = totalReplicas(all, replicasOf);
  const max = desired + maxSurge(deployment);
  if (total >= max) return current;
  return current + Math.min(max - total, desired - current);
};

/** The number in an annotation; undefined if it is absent or not an integer from 0 to 2^31 − 1. */
export const countIn = ({ metadata }: ReplicaSet, annotation: string): number | undefined => {
  const text = memberOf(metadata.annotations, annotation);
  if (text === undefined || !/^[0-9]+$/.test(text)) return undefined;
  const value = Number(text);
  return value <= 2 ** 31 - 1 ? value : undefined;
};

/** A change of a ReplicaSet's size. */
export interface ReplicaScaling {
  readonly replicaSet: ReplicaSet;
  readonly replicas: number;
}

/**
 * Scales down old ReplicaSets: first by their unavailable pods, then as far as the required availability permits.
 *
 * @returns the changes in order; a ReplicaSet may occur twice
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/deployment/rolling.go (`reconcileOldReplicaSets`)
 */
export const shrinkOld = (
  deployment: StoredDeployment,
  newSet: ReplicaSet,
  oldSets: readonly ReplicaSet[],
): readonly ReplicaScaling[] => {
  if (totalReplicas(oldSets, replicasOf) === 0) return [];
  const minAvailable = replicasOf(deployment) - maxUnavailable(deployment);
  const newUnavailable = replicasOf(newSet) - availableOf(newSet);
  const spare = totalReplicas([...oldSets, newSet], replicasOf) - minAvailable - newUnavailable;
  if (spare <= 0) return [];
  const sizes = new Map(oldSets.map((set) => [set, replicasOf(set)]));
  const oldest = oldSets.toSorted(byCreation);
  const { scalings, isOver } = cleanUp(oldest, sizes, spare);
  if (isOver) return scalings;
  const available = totalReplicas([...oldSets, newSet], availableOf);
  return [...scalings, ...shrink(oldest, sizes, available - minAvailable)];
};

/**
 * Scales down by the unavailable pods of old ReplicaSets, at most `limit` pods. Stops at a ReplicaSet with more available pods
 * than its size, where the real controller ends its sync.
 */
const cleanUp = (
  oldest: readonly ReplicaSet[],
  sizes: Map<ReplicaSet, number>,
  limit: number,
): { readonly scalings: readonly ReplicaScaling[]; readonly isOver: boolean } => {
  const scalings: ReplicaScaling[] = [];
  let total = 0;
  for (const replicaSet of oldest) {
    const size = sizes.get(replicaSet) ?? 0;
    const available = availableOf(replicaSet);
    if (total >= limit) break;
    if (size === 0 || size === available) continue;
    const count = Math.min(limit - total, size - available);
    if (count < 0) return { scalings, isOver: true };
    total += count;
    sizes.set(replicaSet, size - count);
    scalings.push({ replicaSet, replicas: size - count });
  }
  return { scalings, isOver: false };
};

const shrink = (
  oldest: readonly ReplicaSet[],
  sizes: ReadonlyMap<ReplicaSet, number>,
  limit: number,
): readonly ReplicaScaling[] => {
  const scalings: ReplicaScaling[] = [];
  let total = 0;
  for (const replicaSet of oldest) {
    const size = sizes.get(replicaSet) ?? 0;
    if (total >= limit) break;
    if (size === 0) continue;
    const count = Math.min(size, limit - total);
    total += count;
    scalings.push({ replicaSet, replicas: size - count });
  }
  return scalings;
};
