import { goJson } from '#lib/apiserver/machinery/text/go-text.ts';
import { equalJson, type JsonObject } from '#lib/json.ts';
import { messageOf } from '../../refusal.ts';
import type { Writes } from '../../sync-controller.ts';
import { accepted, RefusedWriteError } from '../deployment-writes.ts';
import { encodedHash } from '../pod-template-hash.ts';
import { byNumber, hasData, revisionCreation, revisionDeletion, revisionUpdate, templatePatch } from './revisions.ts';
import type { SetRevisions } from './stateful-set-identity.ts';
import type { StoredRevision, StoredStatefulSet } from './stored-sets.ts';

const HASH_LABEL = 'controller.kubernetes.io/hash';

/** Maximum length of the name of a set in the name of a revision. Longer names are cut off. */
const LONGEST_PREFIX = 223;

/** 32-bit FNV-1 over UTF-8. */
const fnv32 = (text: string): number => {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash, 0x01000193) ^ byte;
  return hash >>> 0;
};

/** The hash of the real controller. @see controller_history.go (`HashControllerRevision`) */
const hashOfData = (data: JsonObject, collisions: number): string => encodedHash(fnv32(`${goJson(data)}${collisions}`));

interface Found extends SetRevisions {
  readonly collisionCount: number;
}

/** Finds a stored revision by its name. */
type FindRevision = (name: string) => StoredRevision | undefined;

/**
 * Creates a revision, or returns an existing revision with the same name and data. If the data differs, tries further names.
 *
 * @see
 * controller_history.go (`CreateControllerRevision`)
 */
function* create(
  set: StoredStatefulSet,
  { data, revision, collisions, find }: { data: JsonObject; revision: number; collisions: number; find: FindRevision },
): Writes<{ readonly update: StoredRevision; readonly collisionCount: number }> {
  const { name: setName } = set.metadata;
  const labels = { ...set.spec.template.metadata?.labels, [HASH_LABEL]: hashOfData(data, collisions) };
  for (let collisionCount = collisions; ; collisionCount += 1) {
    const name = `${setName.slice(0, LONGEST_PREFIX)}-${hashOfData(data, collisionCount)}`;
    const response = yield revisionCreation(set, { name, labels, data, revision });
    if (response.code < 300) return { update: response.body as unknown as StoredRevision, collisionCount };
    const existing = find(name);
    if (response.body['reason'] !== 'AlreadyExists' || !existing) throw new RefusedWriteError(messageOf(response));
    if (hasData(existing, data)) return { update: existing, collisionCount };
  }
}

/**
 * Returns the current and the update revision of a set. Creates the revision of the present template if it is missing. After a
 * rollback, gives the existing revision the highest number.
 *
 * @param revisions - the revisions of the set, ordered by number
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/statefulset/stateful_set_control.go (`getStatefulSetRevisions`)
 */
export function* revisionsFor(
  set: StoredStatefulSet,
  revisions: readonly StoredRevision[],
  find: FindRevision,
): Writes<Found> {
  const { status, spec } = set;
  const data = templatePatch(spec.template);
  const latest = revisions.at(-1);
  const equal = revisions.findLast((revision) => hasData(revision, data));
  const collisions = status?.collisionCount ?? 0;
  const revision = (latest?.revision ?? 0) + 1;
  const withCurrent = (update: StoredRevision, collisionCount = collisions): Found => {
    const current = revisions.find(({ metadata }) => metadata.name === status?.currentRevision) ?? update;
    return { current, update, collisionCount };
  };
  if (latest && equal && equalJson(latest.data, equal.data)) return withCurrent(latest);
  if (equal) {
    const { body } = yield* accepted(revisionUpdate({ ...equal, revision }));
    return withCurrent(body as unknown as StoredRevision);
  }
  const { update, collisionCount } = yield* create(set, { data, revision, collisions, find });
  return withCurrent(update, collisionCount);
}

/**
 * Deletes the oldest unused revisions beyond `revisionHistoryLimit`; none if the limit is negative.
 *
 * @param live - the names of the revisions in use
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/statefulset/stateful_set_control.go (`truncateHistory`)
 */
export function* truncateHistory(
  { spec: { revisionHistoryLimit: limit = 10 } }: StoredStatefulSet,
  revisions: readonly StoredRevision[],
  live: ReadonlySet<string>,
): Writes<void> {
  const dead = revisions.filter(({ metadata }) => !live.has(metadata.name)).toSorted(byNumber);
  if (limit < 0) return;
  for (const revision of dead.slice(0, Math.max(0, dead.length - limit))) yield* accepted(revisionDeletion(revision));
}
