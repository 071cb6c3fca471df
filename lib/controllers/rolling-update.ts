import { memberOf } from '#lib/json.ts';
import { byCreation } from './replica-set-order.ts';
import { replicasOf } from './replica-set-status.ts';
import type { Deployment, ReplicaSet } from './workload.ts';

/** Annotations of the deployment controller. */
export const annotations = {
  revision: 'deployment.kubernetes.io/revision',
  revisionHistory: 'deployment.kubernetes.io/revision-history',
  desiredReplicas: 'deployment.kubernetes.io/desired-replicas',
  maxReplicas: 'deployment.kubernetes.io/max-replicas',
} as const;

/** 25% of 10 is 3 or 2; 2 of 10 is 2. @see k8s.io/apimachinery v0.36.4 pkg/util/intstr (`GetScaledValueFromIntOrPercent`) */
const scaled = (value: number | string, total: number, round: (value: number) => number): number => {
  if (typeof value === 'number') return value;
  return round((Number.parseInt(value, 10) * total) / 100);
};

/** @see k8s.io/kubernetes v1.36.4 pkg/controller/deployment/util/deployment_util.go (`ResolveFenceposts`) */
const fenceposts = (deployment: Deployment): { readonly surge: number; readonly unavailable: number } => {
  const { maxSurge = 0, maxUnavailable = 0 } = deployment.spec.strategy?.rollingUpdate ?? {};
  const surge = scaled(maxSurge, replicasOf(deployment), Math.ceil);
  const unavailable = scaled(maxUnavailable, replicasOf(deployment), Math.floor);
  return surge === 0 && unavailable === 0 ? { surge, unavailable: 1 } : { surge, unavailable };
};

/** Whether the strategy is a rolling update, which the server defaults to. */
export const isRollingUpdate = ({ spec }: Deployment): boolean =>
  (spec.strategy?.type ?? 'RollingUpdate') === 'RollingUpdate';

/** How many pods there may be beyond the desired number. */
export const maxSurge = (deployment: Deployment): number =>
  isRollingUpdate(deployment) ? fenceposts(deployment).surge : 0;

/** How many of the desired pods may be unavailable. */
export const maxUnavailable = (deployment: Deployment): number =>
  isRollingUpdate(deployment) ? Math.min(fenceposts(deployment).unavailable, replicasOf(deployment)) : 0;

/** A count that is summed over ReplicaSets. */
export const sumOf = (replicaSets: readonly ReplicaSet[], count: (replicaSet: ReplicaSet) => number): number =>
  replicaSets.reduce((sum, replicaSet) => sum + count(replicaSet), 0);

/** Pods that are available according to the status of a ReplicaSet. */
export const availableOf = ({ status }: ReplicaSet): number => status?.availableReplicas ?? 0;

/** Those that want pods. */
export const activeSets = (replicaSets: readonly ReplicaSet[]): readonly ReplicaSet[] =>
  replicaSets.filter((replicaSet) => replicasOf(replicaSet) > 0);

/** How many pods the new ReplicaSet should have. @see deployment_util.go (`NewRSNewReplicas`) */
export const newReplicas = (deployment: Deployment, all: readonly ReplicaSet[], current: number): number => {
  const desired = replicasOf(deployment);
  if (!isRollingUpdate(deployment)) return desired;
  const total = sumOf(all, replicasOf);
  const max = desired + maxSurge(deployment);
  if (total >= max) return current;
  return current + Math.min(max - total, desired - current);
};

/** A number in an annotation; undefined when it is no whole number of 32 bits. */
export const countIn = ({ metadata }: ReplicaSet, annotation: string): number | undefined => {
  const text = memberOf(metadata.annotations, annotation);
  if (text === undefined || !/^[0-9]+$/.test(text)) return undefined;
  const value = Number(text);
  return value <= 2 ** 31 - 1 ? value : undefined;
};

/** One change of a ReplicaSet's size. */
export interface Scaling {
  readonly replicaSet: ReplicaSet;
  readonly replicas: number;
}

/**
 * How old ReplicaSets shrink: unhealthy pods first, then as many as availability allows.
 *
 * @returns the changes in their order; a ReplicaSet may occur twice
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/deployment/rolling.go (`reconcileOldReplicaSets`)
 */
export const shrinkOld = (
  deployment: Deployment,
  newSet: ReplicaSet,
  oldSets: readonly ReplicaSet[],
): readonly Scaling[] => {
  if (sumOf(oldSets, replicasOf) === 0) return [];
  const minAvailable = replicasOf(deployment) - maxUnavailable(deployment);
  const newUnavailable = replicasOf(newSet) - availableOf(newSet);
  const spare = sumOf([...oldSets, newSet], replicasOf) - minAvailable - newUnavailable;
  if (spare <= 0) return [];
  const sizes = new Map(oldSets.map((set) => [set, replicasOf(set)]));
  const oldest = oldSets.toSorted(byCreation);
  const { scalings, isOver } = cleanUp(oldest, sizes, spare);
  if (isOver) return scalings;
  const available = sumOf([...oldSets, newSet], availableOf);
  return [...scalings, ...shrink(oldest, sizes, available - minAvailable)];
};

/** It is over when a ReplicaSet has more available pods than it wants: the real controller then gives up for this time. */
const cleanUp = (
  oldest: readonly ReplicaSet[],
  sizes: Map<ReplicaSet, number>,
  limit: number,
): { readonly scalings: readonly Scaling[]; readonly isOver: boolean } => {
  const scalings: Scaling[] = [];
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
): readonly Scaling[] => {
  const scalings: Scaling[] = [];
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
