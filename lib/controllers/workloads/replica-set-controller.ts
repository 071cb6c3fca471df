import { selects, selectsEverything } from '#lib/apiserver/machinery/label-selector.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import type { Actor } from '../actor.ts';
import { type ActorContext, fieldManagers, requestFor, updateOf } from '../context.ts';
import { objectKey } from '../informer.ts';
import { claim, controllingOwner, markFamilies, OwnedIndex } from '../ownership.ts';
import { isActivePod, isTerminatingPod } from '../pod-state.ts';
import { messageOf } from '../refusal.ts';
import { type Sync, SyncController, type Writes } from '../sync-controller.ts';
import type { ReplicaSet, StoredPod } from '../workload.ts';
import { createPods, podFrom } from './pod-creation.ts';
import { podsToDelete } from './pod-ranking.ts';
import {
  isReported,
  nextAvailability,
  type ReplicaSetFacts,
  replicaSetStatus,
  replicasOf,
} from './replica-set-status.ts';

/**
 * Maximum number of pods that one sync creates or deletes.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/replicaset/replica_set.go (`BurstReplicas`)
 */
const BURST_REPLICAS = 500;

/** Number of retries after a refused status write (`statusUpdateRetries`). */
const STATUS_RETRIES = 1;

interface Indexes {
  readonly context: ActorContext;
  readonly pods: OwnedIndex;
  readonly replicaSets: OwnedIndex;
}

/** The result of the creation or deletion of pods. */
interface Outcome {
  readonly failed: boolean;
  /**
   * The message of the condition ReplicaFailure. Absent without a failure, and when the namespace is terminating: the condition
   * does not report such a refusal.
   */
  readonly failure?: string;
}

const outcomeOf = (failure: string | undefined): Outcome =>
  failure === undefined ? { failed: false } : { failed: true, failure };

function* addPods(replicaSet: ReplicaSet, count: number): Writes<Outcome> {
  const pod = podFrom(replicaSet, replicaSet.spec.template);
  const { failure, isNamespaceEnding } = yield* createPods(
    replicaSet,
    Array.from({ length: count }, () => pod),
  );
  return isNamespaceEnding ? { failed: true } : outcomeOf(failure);
}

function* deletePods(pods: readonly StoredPod[]): Writes<Outcome> {
  let failure: string | undefined;
  for (const pod of pods) {
    const response = yield {
      label: `delete pod ${objectKey(pod)}`,
      request: requestFor(resources.pods, pod, { verb: 'delete' }),
    };
    if (response.code >= 300 && response.code !== 404) failure ??= messageOf(response);
  }
  return outcomeOf(failure);
}

/**
 * The pods in the namespace that match the selector of any ReplicaSet of the same owner. If this ReplicaSet has no owner, the
 * pods that match its own selector.
 *
 * @see replica_set.go (`getIndirectlyRelatedPods`)
 */
const relatedPods = (replicaSet: ReplicaSet, { context, replicaSets }: Indexes): readonly StoredPod[] => {
  const owner = controllingOwner(replicaSet);
  const siblings = owner ? (replicaSets.ownedBy(owner.uid) as readonly ReplicaSet[]) : [replicaSet];
  const selectors = siblings.map(({ spec }) => spec.selector);
  const pods = context.informers.of(resources.pods).list(replicaSet.metadata.namespace) as readonly StoredPod[];
  return pods.filter(({ metadata }) => selectors.some((selector) => selects(selector, metadata.labels)));
};

function* manageReplicas(replicaSet: ReplicaSet, active: readonly StoredPod[], indexes: Indexes): Writes<Outcome> {
  const surplus = active.length - replicasOf(replicaSet);
  if (surplus < 0) return yield* addPods(replicaSet, Math.min(-surplus, BURST_REPLICAS));
  if (surplus === 0) return { failed: false };
  const related = relatedPods(replicaSet, indexes);
  const count = Math.min(surplus, BURST_REPLICAS);
  return yield* deletePods(podsToDelete(active, { related, count, now: indexes.context.now() }));
}

/** Updates the status. After a refused write, repeats it once with the current object and the same status. */
function* reportStatus(replicaSet: ReplicaSet, facts: ReplicaSetFacts, { context }: Indexes): Writes<boolean> {
  const status = replicaSetStatus(replicaSet, facts);
  if (isReported(replicaSet, status)) return true;
  let current: ServerObject | undefined = replicaSet;
  for (let attempt = 0; attempt <= STATUS_RETRIES && current; attempt += 1) {
    const { code } = yield {
      label: `update status of ${objectKey(replicaSet)}`,
      request: updateOf(
        resources.replicaSets,
        { ...current, status },
        { manager: fieldManagers.controllers, subresource: 'status' },
      ),
    };
    if (code < 300) return true;
    current = context.informers.of(resources.replicaSets).get(objectKey(replicaSet));
  }
  return false;
}

/** @see k8s.io/kubernetes v1.36.4 pkg/controller/replicaset/replica_set.go (`syncReplicaSet`) */
function* syncReplicaSet(key: string, indexes: Indexes): Sync {
  const { context } = indexes;
  const replicaSet = context.informers.of(resources.replicaSets).get(key) as ReplicaSet | undefined;
  if (!replicaSet || selectsEverything(replicaSet.spec.selector)) return {};
  const { metadata, spec } = replicaSet;
  const matches = (pod: ServerObject): boolean => selects(spec.selector, pod.metadata.labels);
  const owned = indexes.pods.ownedBy(metadata.uid) as readonly StoredPod[];
  const orphans = (indexes.pods.orphansIn(metadata.namespace ?? '') as readonly StoredPod[]).filter(matches);
  const candidates = [...owned, ...orphans].filter(isActivePod);
  const terminating = owned.filter((pod) => isTerminatingPod(pod) && matches(pod)).length;
  const { claimed, failed } = yield* claim(replicaSet, candidates, { resource: resources.pods, noun: 'pod', matches });
  if (failed) return { failed: true };
  const active = claimed as readonly StoredPod[];
  const isDeleted = metadata.deletionTimestamp !== undefined;
  const outcome: Outcome = isDeleted ? { failed: false } : yield* manageReplicas(replicaSet, active, indexes);
  const now = context.now();
  const isWritten = yield* reportStatus(replicaSet, { active, terminating, failure: outcome.failure, now }, indexes);
  if (outcome.failed || !isWritten) return { failed: true };
  const again = nextAvailability(active, spec.minReadySeconds ?? 0, now);
  return again === undefined ? {} : { again, why: `pods of ${key} to become available` };
}

/** Creates and deletes pods until each ReplicaSet has the desired number of pods, and counts the pods in its status. */
export const replicaSetController = (context: ActorContext): Actor => {
  const replicaSets = context.informers.of(resources.replicaSets);
  const pods = context.informers.of(resources.pods);
  const indexes = { context, pods: new OwnedIndex(pods), replicaSets: new OwnedIndex(replicaSets) };
  const controller = new SyncController({
    name: 'replicaset controller',
    context,
    sync: (key) => syncReplicaSet(key, indexes),
  });
  markFamilies(controller, replicaSets, pods);
  return controller;
};
