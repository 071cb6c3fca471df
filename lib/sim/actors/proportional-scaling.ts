import { bySizeNewer, bySizeOlder } from './replica-set-order.ts';
import { replicasOf } from './replica-set-status.ts';
import { activeSets, annotations, countIn, maxSurge, type Scaling, sumOf } from './rolling-update.ts';
import type { Deployment, ReplicaSet } from './workload.ts';

/** Half away from zero, as Go rounds. @see k8s.io/utils integer (`RoundToInt32`) */
const round = (value: number): number => (value < 0 ? Math.trunc(value - 0.5) : Math.trunc(value + 0.5));

/** @see k8s.io/kubernetes v1.36.4 pkg/controller/deployment/util/deployment_util.go (`getReplicaSetFraction`) */
const fractionOf = (replicaSet: ReplicaSet, deployment: Deployment): number => {
  const size = replicasOf(replicaSet);
  if (replicasOf(deployment) === 0) return -size;
  const max = replicasOf(deployment) + maxSurge(deployment);
  const before = countIn(replicaSet, annotations.maxReplicas) || (deployment.status?.replicas ?? 0);
  return before === 0 ? 0 : round((size * max) / before) - size;
};

/**
 * Distributes a change of a deployment's size over its ReplicaSets while a rollout is going on.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/deployment/sync.go (`scale`)
 */
export const proportionally = (deployment: Deployment, all: readonly ReplicaSet[]): readonly Scaling[] => {
  const desired = replicasOf(deployment);
  const allowed = desired > 0 ? desired + maxSurge(deployment) : 0;
  const toAdd = allowed - sumOf(all, replicasOf);
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
