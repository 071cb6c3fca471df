import type { ReplicaSet, StoredDeployment } from '../workload.ts';
import type { DeploymentSets } from './deployment-status.ts';
import { byCreation, bySizeNewer, bySizeOlder } from './replica-set-order.ts';
import { replicasOf } from './replica-set-status.ts';
import {
  activeSets,
  annotations,
  availableOf,
  countIn,
  isRollingUpdate,
  maxSurge,
  type ReplicaScaling,
  totalReplicas,
} from './rolling-update.ts';

/** Rounds half away from zero, as Go does. @see k8s.io/utils integer (`RoundToInt32`) */
const round = (value: number): number => (value < 0 ? Math.trunc(value - 0.5) : Math.trunc(value + 0.5));

/**
 * The change of the size of a ReplicaSet that is proportional to the change of the size of its Deployment.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/deployment/util/deployment_util.go (`getReplicaSetFraction`)
 */
const fractionOf = (replicaSet: ReplicaSet, deployment: StoredDeployment): number => {
  const size = replicasOf(replicaSet);
  if (replicasOf(deployment) === 0) return -size;
  const max = replicasOf(deployment) + maxSurge(deployment);
  const before = countIn(replicaSet, annotations.maxReplicas) || (deployment.status?.replicas ?? 0);
  return before === 0 ? 0 : round((size * max) / before) - size;
};

/**
 * Distributes a change of the size of a Deployment over its ReplicaSets during a rollout.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/deployment/sync.go (`scale`)
 */
const proportionally = (deployment: StoredDeployment, all: readonly ReplicaSet[]): readonly ReplicaScaling[] => {
  const desired = replicasOf(deployment);
  const allowed = desired > 0 ? desired + maxSurge(deployment) : 0;
  const toAdd = allowed - totalReplicas(all, replicasOf);
  const order = toAdd > 0 ? bySizeNewer : bySizeOlder;
  const sets = toAdd === 0 ? activeSets(all) : activeSets(all).toSorted(order);
  let added = 0;
  const sizes = sets.map((replicaSet) => {
    const left = toAdd - added;
    const fraction = left === 0 ? 0 : fractionOf(replicaSet, deployment);
    const share = toAdd > 0 ? Math.min(fraction, left) : Math.max(fraction, left);
    added += share;
    return { replicaSet, replicas: replicasOf(replicaSet) + share };
  });
  return sizes.map(({ replicaSet, replicas }, index) => ({
    replicaSet,
    replicas: index === 0 ? Math.max(0, replicas + toAdd - added) : replicas,
  }));
};

/** All ReplicaSets of a deployment. */
export const allOf = ({ newSet, oldSets }: DeploymentSets): readonly ReplicaSet[] =>
  newSet ? [...oldSets, newSet] : oldSets;

/**
 * Returns the new sizes of ReplicaSets for a Deployment that is paused, or after a change of its size.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/deployment/sync.go (`scale`) and util (`FindActiveOrLatest`, `IsSaturated`)
 */
export const scalingsFor = (deployment: StoredDeployment, sets: DeploymentSets): readonly ReplicaScaling[] => {
  const replicas = replicasOf(deployment);
  const { newSet, oldSets } = sets;
  const active = activeSets(allOf(sets));
  const single = active.length === 0 ? (newSet ?? oldSets.toSorted(byCreation).at(-1)) : active[0];
  if (active.length <= 1) return single ? [{ replicaSet: single, replicas }] : [];
  const isSaturated =
    newSet !== undefined &&
    countIn(newSet, annotations.desiredReplicas) === replicas &&
    replicasOf(newSet) === replicas &&
    availableOf(newSet) === replicas;
  if (isSaturated) return activeSets(oldSets).map((replicaSet) => ({ replicaSet, replicas: 0 }));
  return isRollingUpdate(deployment) ? proportionally(deployment, allOf(sets)) : [];
};
