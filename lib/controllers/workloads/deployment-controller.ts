import { selects, selectsEverything } from '#lib/apiserver/machinery/label-selector.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import type { Actor } from '../actor.ts';
import type { ActorContext } from '../context.ts';
import { objectKey } from '../informer.ts';
import { claim, controllingOwner, markFamilies, OwnedIndex } from '../ownership.ts';
import { isTerminal } from '../pod-state.ts';
import { type Sync, SyncController, type SyncResult, type Writes } from '../sync-controller.ts';
import type { ReplicaSet, StoredDeployment, StoredPod } from '../workload.ts';
import { allOf, scalingsFor } from './deployment-scaling.ts';
import {
  countedStatus,
  type DeploymentSets,
  deploymentRolloutStatus,
  isDeploymentComplete,
  progressCheck,
} from './deployment-status.ts';
import {
  cleanUp,
  createNewSet,
  pausedStatus,
  RefusedWriteError,
  recordRevision,
  reviseNewSet,
  scaleAll,
  writeStatus,
} from './deployment-writes.ts';
import { hasTemplateOf } from './pod-template-hash.ts';
import { byCreation } from './replica-set-order.ts';
import { replicasOf } from './replica-set-status.ts';
import { activeSets, annotations, countIn, isRollingUpdate, newReplicas, shrinkOld } from './rolling-update.ts';

interface Indexes {
  readonly context: ActorContext;
  readonly replicaSets: OwnedIndex;
  readonly pods: OwnedIndex;
}

const setsOf = (deployment: StoredDeployment, claimed: readonly ReplicaSet[]): DeploymentSets => {
  const oldest = claimed.toSorted(byCreation);
  const newSet = oldest.find((replicaSet) => hasTemplateOf(replicaSet, deployment));
  return { newSet, oldSets: oldest.filter((replicaSet) => replicaSet !== newSet) };
};

/** Scales ReplicaSets without a rollout: for a paused Deployment, and after a change of the size of the Deployment. */
function* syncSize(deployment: StoredDeployment, sets: DeploymentSets, now: number): Writes<SyncResult> {
  const isForced = activeSets(allOf(sets)).length > 1 && isRollingUpdate(deployment);
  yield* scaleAll(deployment, scalingsFor(deployment, sets), { isForced });
  if (deployment.spec.paused === true) yield* cleanUp(deployment, sets.oldSets);
  return yield* writeStatus(deployment, countedStatus(deployment, sets, now));
}

function* syncRolloutStatus(deployment: StoredDeployment, sets: DeploymentSets, now: number): Writes<SyncResult> {
  const status = deploymentRolloutStatus(deployment, sets, now);
  yield* writeStatus(deployment, status);
  const again = progressCheck(deployment, status);
  return again === undefined ? {} : { again, why: `progress of deployment ${objectKey(deployment)}` };
}

/** @see k8s.io/kubernetes v1.36.4 pkg/controller/deployment/rolling.go (`rolloutRolling`) */
function* rollingUpdate(
  deployment: StoredDeployment,
  { newSet, oldSets }: DeploymentSets & { readonly newSet: ReplicaSet },
  now: number,
): Writes<SyncResult> {
  const sets = { newSet, oldSets };
  const desired = replicasOf(deployment);
  const size = replicasOf(newSet);
  const replicas = size >= desired ? desired : newReplicas(deployment, allOf(sets), size);
  const isScaled =
    (yield* scaleAll(deployment, [{ replicaSet: newSet, replicas }])) ||
    (yield* scaleAll(deployment, shrinkOld(deployment, newSet, activeSets(oldSets))));
  if (!isScaled && isDeploymentComplete(deployment, deployment.status ?? {})) yield* cleanUp(deployment, oldSets);
  return yield* syncRolloutStatus(deployment, sets, now);
}

/**
 * Whether old ReplicaSets have pods, apart from terminated pods that their status does not count.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/deployment/recreate.go (`oldPodsRunning`)
 */
const hasOldPods = (sets: DeploymentSets, pods: OwnedIndex): boolean =>
  sets.oldSets.some(
    ({ status, metadata }) =>
      (status?.replicas ?? 0) > 0 || pods.ownedBy(metadata.uid).some((pod) => !isTerminal(pod as StoredPod)),
  );

/** @see k8s.io/kubernetes v1.36.4 pkg/controller/deployment/recreate.go (`rolloutRecreate`) */
function* recreate(deployment: StoredDeployment, sets: DeploymentSets, indexes: Indexes): Writes<SyncResult> {
  const now = indexes.context.now();
  const isBusy = hasOldPods(sets, indexes.pods);
  const toZero = activeSets(sets.oldSets).map((replicaSet) => ({ replicaSet, replicas: 0 }));
  if ((yield* scaleAll(deployment, toZero)) || isBusy) return yield* syncRolloutStatus(deployment, sets, now);
  const { newSet, oldSets } = sets;
  if (!newSet) return yield* createNewSet(deployment, oldSets, creation(indexes));
  yield* scaleAll(deployment, [{ replicaSet: newSet, replicas: replicasOf(deployment) }]);
  if (isDeploymentComplete(deployment, deployment.status ?? {})) yield* cleanUp(deployment, oldSets);
  return yield* syncRolloutStatus(deployment, sets, now);
}

const creation = ({ context }: Indexes): Parameters<typeof createNewSet>[2] => ({
  now: context.now(),
  find: (key) => context.informers.of(resources.replicaSets).get(key) as ReplicaSet | undefined,
});

const isScalingEvent = (deployment: StoredDeployment, sets: DeploymentSets): boolean =>
  activeSets(allOf(sets)).some(
    (replicaSet) =>
      (countIn(replicaSet, annotations.desiredReplicas) ?? replicasOf(deployment)) !== replicasOf(deployment),
  );

function* syncClaimed(
  deployment: StoredDeployment,
  claimed: readonly ReplicaSet[],
  indexes: Indexes,
): Writes<SyncResult> {
  const { metadata, spec } = deployment;
  const now = indexes.context.now();
  const isDeleted = metadata.deletionTimestamp !== undefined;
  const paused = isDeleted ? undefined : pausedStatus(deployment, now);
  if (paused) return yield* writeStatus(deployment, paused);
  const sets = yield* reviseNewSet(deployment, setsOf(deployment, claimed));
  const { newSet, oldSets } = sets;
  if (newSet && (yield* recordRevision(deployment, newSet, now))) return {};
  if (isDeleted) return yield* writeStatus(deployment, countedStatus(deployment, sets, now));
  if (spec.paused === true || isScalingEvent(deployment, sets)) return yield* syncSize(deployment, sets, now);
  if (!isRollingUpdate(deployment)) return yield* recreate(deployment, sets, indexes);
  if (!newSet) return yield* createNewSet(deployment, oldSets, creation(indexes));
  return yield* rollingUpdate(deployment, { newSet, oldSets }, now);
}

/** @see k8s.io/kubernetes v1.36.4 pkg/controller/deployment/deployment_controller.go (`syncDeployment`) */
function* syncDeployment(key: string, indexes: Indexes): Sync {
  const deployment = indexes.context.informers.of(resources.deployments).get(key) as StoredDeployment | undefined;
  if (!deployment) return {};
  const { metadata, spec, status = {} } = deployment;
  try {
    if (selectsEverything(spec.selector)) {
      return yield* writeStatus(deployment, { ...status, observedGeneration: metadata.generation ?? 0 });
    }
    const matches = (object: ServerObject): boolean => selects(spec.selector, object.metadata.labels);
    const { replicaSets } = indexes;
    const candidates = [...replicaSets.ownedBy(metadata.uid), ...replicaSets.orphansIn(metadata.namespace ?? '')];
    const claims = { resource: resources.replicaSets, noun: 'replicaset', matches };
    const { claimed, failed } = yield* claim(deployment, candidates, claims);
    return failed ? { failed } : yield* syncClaimed(deployment, claimed as readonly ReplicaSet[], indexes);
  } catch (error) {
    if (error instanceof RefusedWriteError) return { failed: true };
    throw error;
  }
}

const subscribe = (controller: SyncController, { informers }: ActorContext): void => {
  const deployments = informers.of(resources.deployments);
  const replicaSets = informers.of(resources.replicaSets);
  markFamilies(controller, deployments, replicaSets);
  // With the strategy Recreate, the end of the last old pod must start a sync of the Deployment.
  informers.of(resources.pods).subscribe((now, before) => {
    const pod = now ?? before;
    const owner = pod && controllingOwner(pod);
    const replicaSet = owner && replicaSets.get(`${pod.metadata.namespace ?? ''}/${owner.name}`);
    const key = replicaSet && `${pod.metadata.namespace ?? ''}/${controllingOwner(replicaSet)?.name ?? ''}`;
    const deployment = key === undefined ? undefined : (deployments.get(key) as StoredDeployment | undefined);
    if (key !== undefined && deployment && !isRollingUpdate(deployment)) controller.mark(key);
  });
};

/** Performs the rollouts of Deployments: creates, scales and deletes their ReplicaSets, and updates their status. */
export const deploymentController = (context: ActorContext): Actor => {
  const { informers } = context;
  const indexes = {
    context,
    replicaSets: new OwnedIndex(informers.of(resources.replicaSets)),
    pods: new OwnedIndex(informers.of(resources.pods)),
  };
  const controller = new SyncController({
    name: 'deployment controller',
    context,
    sync: (key) => syncDeployment(key, indexes),
  });
  subscribe(controller, context);
  return controller;
};
