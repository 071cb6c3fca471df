import { selects } from '#lib/apiserver/machinery/label-selector.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import { type ActorContext, fieldManagers, requestFor, updateOf } from '../../context.ts';
import { objectKey } from '../../informer.ts';
import { claim, type OwnedIndex } from '../../ownership.ts';
import { messageOf } from '../../refusal.ts';
import type { Writes } from '../../sync-controller.ts';
import type { StoredPod } from '../../workload.ts';
import { accepted, RefusedWriteError } from '../deployment-writes.ts';
import { podTemplateHash } from '../pod-template-hash.ts';
import {
  byNumber,
  hasData,
  REVISION_HASH,
  revisionCreation,
  revisionDeletion,
  revisionUpdate,
  templatePatch,
} from './revisions.ts';
import type { StoredDaemonSet, StoredRevision } from './stored-sets.ts';

/** The revisions of a DaemonSet. */
export interface DaemonHistory {
  /** The hash of the current revision, for the label of new pods. */
  readonly hash: string;
  /** The revisions of other templates. */
  readonly old: readonly StoredRevision[];
}

interface Indexes {
  readonly context: ActorContext;
  readonly revisions: OwnedIndex;
  readonly pods: OwnedIndex;
}

const hashOf = ({ metadata }: ServerObject): string | undefined => metadata.labels?.[REVISION_HASH];

/**
 * Stores the current template as a revision, and returns its hash.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/daemon/update.go
 * (`snapshot`)
 */
function* snapshot(set: StoredDaemonSet, revision: number, { informers }: ActorContext): Writes<string> {
  const { metadata, spec, status } = set;
  const hash = podTemplateHash(spec.template, status?.collisionCount);
  const data = templatePatch(spec.template);
  const name = `${metadata.name}-${hash}`;
  const labels = { ...spec.template.metadata?.labels, [REVISION_HASH]: hash };
  const response = yield revisionCreation(set, { name, labels, data, revision });
  if (response.code < 300) return hash;
  const key = `${metadata.namespace ?? ''}/${name}`;
  const found = informers.of(resources.controllerRevisions).get(key) as StoredRevision | undefined;
  if (response.body['reason'] !== 'AlreadyExists' || !found) throw new RefusedWriteError(messageOf(response));
  if (hasData(found, data)) return hashOf(found) ?? '';
  const current = informers.of(resources.daemonSets).get(objectKey(set)) as StoredDaemonSet | undefined;
  if (current && current.status?.collisionCount === status?.collisionCount) {
    const next = { ...current, status: { ...current.status, collisionCount: (status?.collisionCount ?? 0) + 1 } };
    yield* accepted({
      label: `update status of ${objectKey(set)}`,
      request: updateOf(resources.daemonSets, next, { manager: fieldManagers.controllers, subresource: 'status' }),
    });
  }
  throw new RefusedWriteError(messageOf(response));
}

/**
 * Keeps the newest of several equal revisions, labels all pods with its hash, and deletes the others. Undefined for an empty
 * list.
 *
 * @see update.go (`dedupCurHistories`)
 */
function* deduplicate(
  set: StoredDaemonSet,
  equal: readonly StoredRevision[],
  pods: readonly StoredPod[],
): Writes<StoredRevision | undefined> {
  const kept = equal.reduce<StoredRevision | undefined>(
    (best, one) => (best && best.revision > one.revision ? best : one),
    undefined,
  );
  if (!kept || equal.length === 1) return kept;
  const labels = { [REVISION_HASH]: hashOf(kept) };
  for (const pod of pods) {
    if (hashOf(pod) === hashOf(kept) || !selects(set.spec.selector, pod.metadata.labels)) continue;
    yield* accepted({
      label: `label pod ${objectKey(pod)}`,
      request: requestFor(resources.pods, pod, {
        verb: 'patch',
        patchType: 'merge',
        options: { fieldManager: fieldManagers.controllers },
        body: { metadata: { labels } },
      }),
    });
  }
  for (const one of equal) if (one !== kept) yield* accepted(revisionDeletion(one));
  return kept;
}

/** Adds the hash label to a revision without one. The value is the name of the revision. */
function* labelled(revision: StoredRevision): Writes<StoredRevision> {
  if (hashOf(revision) !== undefined) return revision;
  const { metadata } = revision;
  const labels = { ...metadata.labels, [REVISION_HASH]: metadata.name };
  const { body } = yield* accepted(revisionUpdate({ ...revision, metadata: { ...metadata, labels } }));
  return body as unknown as StoredRevision;
}

/**
 * Finds the revisions of a DaemonSet. If no revision has the current template, stores a new revision.
 *
 * @throws {RefusedWriteError} when the server refuses a write
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/daemon/update.go (`constructHistory`)
 */
export function* constructHistory(set: StoredDaemonSet, indexes: Indexes): Writes<DaemonHistory> {
  const { metadata, spec } = set;
  const pods = indexes.pods.ownedBy(metadata.uid) as readonly StoredPod[];
  const matches = ({ metadata: { labels } }: ServerObject): boolean => selects(spec.selector, labels);
  const owned = indexes.revisions.ownedBy(metadata.uid);
  const orphans = indexes.revisions.orphansIn(metadata.namespace ?? '').filter(matches);
  const task = { resource: resources.controllerRevisions, noun: 'controllerrevision', matches };
  const { claimed, failed } = yield* claim(set, [...owned, ...orphans], task);
  if (failed) throw new RefusedWriteError('cannot claim revisions');
  const data = templatePatch(spec.template);
  const equal: StoredRevision[] = [];
  const old: StoredRevision[] = [];
  for (const one of claimed as readonly StoredRevision[]) {
    const revision = yield* labelled(one);
    (hasData(revision, data) ? equal : old).push(revision);
  }
  const next = Math.max(0, ...old.map(({ revision }) => revision)) + 1;
  const current = yield* deduplicate(set, equal, pods);
  if (!current) return { hash: yield* snapshot(set, next, indexes.context), old };
  if (current.revision < next) yield* accepted(revisionUpdate({ ...current, revision: next }));
  return { hash: hashOf(current) ?? '', old };
}

/**
 * Deletes the oldest revisions beyond `revisionHistoryLimit`, except the revisions of existing pods.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/daemon/update.go (`cleanupHistory`)
 */
export function* cleanUpHistory(
  { spec: { revisionHistoryLimit: limit = 10 } }: StoredDaemonSet,
  old: readonly StoredRevision[],
  pods: readonly StoredPod[],
): Writes<void> {
  const live = new Set(pods.map(hashOf));
  const dead = old.toSorted(byNumber).filter((revision) => !live.has(hashOf(revision)));
  for (const revision of dead.slice(0, Math.max(0, old.length - limit))) yield* accepted(revisionDeletion(revision));
}
