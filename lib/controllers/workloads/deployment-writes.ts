import type { ServerResponse } from '#lib/apiserver/machinery/request.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import { findCondition } from '../conditions.ts';
import { fieldManagers, requestFor, updateOf } from '../context.ts';
import { objectKey } from '../informer.ts';
import { controllingOwner } from '../ownership.ts';
import { isNamespaceTerminating, messageOf } from '../refusal.ts';
import type { SyncResult, Write, Writes } from '../sync-controller.ts';
import type { DeploymentStatus, ReplicaSet, StatusCondition, StoredDeployment } from '../workload.ts';
import { hasAnnotations, newReplicaSet, revised, sizeAnnotations } from './deployment-revision.ts';
import {
  type DeploymentSets,
  hasProgressDeadline,
  isStatusReported,
  withDeploymentCondition,
} from './deployment-status.ts';
import { hasTemplateOf } from './pod-template-hash.ts';
import { byRevision } from './replica-set-order.ts';
import { replicasOf } from './replica-set-status.ts';
import { annotations, type ReplicaScaling } from './rolling-update.ts';

/** The error after a refused write. The sync fails, and the controller repeats it later. */
export class RefusedWriteError extends Error {
  override readonly name = 'RefusedWriteError';
}

/** Sends a write, and returns the response. @throws {RefusedWriteError} when the server refuses the write */
export function* accepted(write: Write): Writes<ServerResponse> {
  const response = yield write;
  if (response.code >= 300) throw new RefusedWriteError(messageOf(response));
  return response;
}

/**
 * Writes the status and the revision annotation with one update, if one of them differs. The sync ends after this write. The real
 * controller continues its sync, but its next write fails because of an outdated resource version.
 */
export function* writeStatus(
  deployment: StoredDeployment,
  status: DeploymentStatus,
  revision?: string,
): Writes<SyncResult> {
  const { metadata } = deployment;
  const isRevised = revision !== undefined && metadata.annotations?.[annotations.revision] !== revision;
  if (!isRevised && isStatusReported(deployment, status)) return {};
  const changed = isRevised
    ? { ...metadata, annotations: { ...metadata.annotations, [annotations.revision]: revision } }
    : metadata;
  yield* accepted({
    label: `update status of ${objectKey(deployment)}`,
    request: updateOf(
      resources.deployments,
      { ...deployment, metadata: changed, status },
      { manager: fieldManagers.controllers, subresource: 'status' },
    ),
  });
  return {};
}

type Progress = Pick<StatusCondition, 'reason' | 'message' | 'status'>;

/** The stored status, with another condition Progressing. */
const withProgress = ({ status = {} }: StoredDeployment, progress: Progress, now: number): DeploymentStatus => ({
  ...status,
  conditions: withDeploymentCondition(status.conditions, { type: 'Progressing', ...progress }, now),
});

/**
 * The status after a Deployment was paused or resumed; undefined if the condition Progressing need not change.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/deployment/sync.go (`checkPausedConditions`)
 */
export const pausedStatus = (deployment: StoredDeployment, now: number): DeploymentStatus | undefined => {
  const { paused: isPaused = false } = deployment.spec;
  const reason = findCondition(deployment.status?.conditions, 'Progressing')?.reason;
  if (!hasProgressDeadline(deployment) || reason === 'ProgressDeadlineExceeded') return undefined;
  if (isPaused === (reason === 'DeploymentPaused')) return undefined;
  const progress = isPaused
    ? { reason: 'DeploymentPaused', message: 'Deployment is paused' }
    : { reason: 'DeploymentResumed', message: 'Deployment is resumed' };
  return withProgress(deployment, { status: 'Unknown', ...progress }, now);
};

/** Updates the annotations and `minReadySeconds` of the new ReplicaSet, if they are out of date. */
export function* reviseNewSet(deployment: StoredDeployment, sets: DeploymentSets): Writes<DeploymentSets> {
  if (!sets.newSet) return sets;
  const wanted = revised(deployment, sets.newSet, sets.oldSets);
  if (wanted === sets.newSet) return sets;
  const { body } = yield* accepted({
    label: `update annotations of replicaset ${objectKey(wanted)}`,
    request: updateOf(resources.replicaSets, wanted, { manager: fieldManagers.controllers }),
  });
  return { ...sets, newSet: body as unknown as ReplicaSet };
}

/**
 * Writes the revision of the existing new ReplicaSet to the Deployment, with the condition Progressing if this condition is
 * absent and the Deployment has a progress deadline.
 *
 * @returns whether a write was needed; if so, the sync ends
 */
export function* recordRevision(deployment: StoredDeployment, newSet: ReplicaSet, now: number): Writes<boolean> {
  const { status = {}, metadata } = deployment;
  const revision = newSet.metadata.annotations?.[annotations.revision] ?? '';
  const isFound = hasProgressDeadline(deployment) && !findCondition(status.conditions, 'Progressing');
  if (!isFound && metadata.annotations?.[annotations.revision] === revision) return false;
  const message = `Found new replica set "${newSet.metadata.name}"`;
  const found = { status: 'True', reason: 'FoundNewReplicaSet', message } as const;
  yield* writeStatus(deployment, isFound ? withProgress(deployment, found, now) : status, revision);
  return true;
}

interface Creation {
  readonly now: number;
  readonly find: (key: string) => ReplicaSet | undefined;
}

/**
 * Creates the new ReplicaSet of a Deployment, and reports the result in the status.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/deployment/sync.go (`getNewReplicaSet`)
 */
export function* createNewSet(
  deployment: StoredDeployment,
  oldSets: readonly ReplicaSet[],
  { now, find }: Creation,
): Writes<SyncResult> {
  const body = newReplicaSet(deployment, oldSets);
  const { name } = body['metadata'] as { name: string };
  const namespace = deployment.metadata.namespace ?? '';
  const response = yield {
    label: `create replicaset ${namespace}/${name}`,
    request: {
      verb: 'create',
      resource: resources.replicaSets,
      namespace,
      options: { fieldManager: fieldManagers.controllers },
      body,
    },
  };
  const { status = {} } = deployment;
  if (response.code >= 300)
    return yield* afterRefusal(deployment, { response, now, found: find(`${namespace}/${name}`), name });
  const created = response.body as unknown as ReplicaSet;
  const message = `Created new replica set "${name}"`;
  const progress = { status: 'True', reason: 'NewReplicaSetCreated', message } as const;
  const wanted = hasProgressDeadline(deployment) ? withProgress(deployment, progress, now) : status;
  return yield* writeStatus(deployment, wanted, created.metadata.annotations?.[annotations.revision]);
}

interface Refusal {
  readonly response: ServerResponse;
  readonly now: number;
  readonly name: string;
  readonly found: ReplicaSet | undefined;
}

function* afterRefusal(deployment: StoredDeployment, { response, now, name, found }: Refusal): Writes<SyncResult> {
  const { status = {}, metadata } = deployment;
  if (response.body['reason'] === 'AlreadyExists') {
    const isOurs = found && controllingOwner(found)?.uid === metadata.uid && hasTemplateOf(found, deployment);
    // Another ReplicaSet has the name. A higher collision count gives another hash, and so another name.
    if (found && !isOurs)
      yield* writeStatus(deployment, { ...status, collisionCount: (status.collisionCount ?? 0) + 1 });
    return { failed: true };
  }
  if (isNamespaceTerminating(response) || !hasProgressDeadline(deployment)) return { failed: true };
  const text = `Failed to create new replica set "${name}": ${messageOf(response)}`;
  const failure = { status: 'False', reason: 'ReplicaSetCreateError', message: text } as const;
  yield* writeStatus(deployment, withProgress(deployment, failure, now));
  return { failed: true };
}

/**
 * Updates the size and the size annotations of a ReplicaSet.
 *
 * @param isForced - whether to write even if only the size annotations differ
 * @returns the stored ReplicaSet, and whether its size changed
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/deployment/sync.go (`scaleReplicaSet`)
 */
function* scale(
  deployment: StoredDeployment,
  { replicaSet, replicas }: ReplicaScaling,
  isForced: boolean,
): Writes<{ readonly stored: ReplicaSet; readonly isScaled: boolean }> {
  const isScaled = replicasOf(replicaSet) !== replicas;
  const sizes = sizeAnnotations(deployment);
  if (!isScaled && (!isForced || hasAnnotations(replicaSet, sizes))) return { stored: replicaSet, isScaled: false };
  const { metadata, spec } = replicaSet;
  const wanted = {
    ...replicaSet,
    metadata: { ...metadata, annotations: { ...metadata.annotations, ...sizes } },
    spec: { ...spec, replicas },
  };
  const { body } = yield* accepted({
    label: isScaled
      ? `scale replicaset ${objectKey(replicaSet)} from ${replicasOf(replicaSet)} to ${replicas}`
      : `update annotations of replicaset ${objectKey(replicaSet)}`,
    request: updateOf(resources.replicaSets, wanted, { manager: fieldManagers.controllers }),
  });
  return { stored: body as unknown as ReplicaSet, isScaled };
}

/** Scales ReplicaSets, one after the other. @returns whether a size has changed */
export function* scaleAll(
  deployment: StoredDeployment,
  scalings: readonly ReplicaScaling[],
  { isForced = false }: { readonly isForced?: boolean } = {},
): Writes<boolean> {
  const latest = new Map<ReplicaSet, ReplicaSet>();
  let isAny = false;
  for (const { replicaSet, replicas } of scalings) {
    const current = latest.get(replicaSet) ?? replicaSet;
    const { stored, isScaled } = yield* scale(deployment, { replicaSet: current, replicas }, isForced);
    latest.set(replicaSet, stored);
    isAny ||= isScaled;
  }
  return isAny;
}

/**
 * Deletes the old ReplicaSets with the lowest revisions beyond `revisionHistoryLimit`. Keeps those with pods, with a size above
 * zero, or with an outdated status.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/deployment/sync.go (`cleanupDeployment`)
 */
export function* cleanUp(deployment: StoredDeployment, oldSets: readonly ReplicaSet[]): Writes<void> {
  const limit = deployment.spec.revisionHistoryLimit ?? Infinity;
  const alive = oldSets.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const surplus = alive.length - limit;
  if (limit === 2 ** 31 - 1 || surplus <= 0) return;
  for (const replicaSet of alive.toSorted(byRevision).slice(0, surplus)) {
    const { status = {}, metadata } = replicaSet;
    const isSeen = (metadata.generation ?? 0) <= (status.observedGeneration ?? 0);
    if ((status.replicas ?? 0) !== 0 || replicasOf(replicaSet) !== 0 || !isSeen) continue;
    const { code } = yield {
      label: `delete replicaset ${objectKey(replicaSet)}`,
      request: requestFor(resources.replicaSets, replicaSet, { verb: 'delete' }),
    };
    if (code >= 300 && code !== 404) throw new RefusedWriteError(`delete replicaset ${objectKey(replicaSet)}`);
  }
}
