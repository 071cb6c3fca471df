import { equalJson, type JsonObject } from '#lib/json.ts';
import { revertTimestamps } from '#lib/apiserver/apply/revert-timestamps.ts';
import { invalid, invalidValue } from '#lib/apiserver/machinery/field-error.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ServerResponse } from '#lib/apiserver/machinery/request.ts';
import { badRequest, conflict, notFound, plainFailure } from '#lib/apiserver/machinery/status.ts';
import { admit, mutate } from './admission.ts';
import { commit, commitRemoval } from './commit.ts';
import { createInStore, ensureNamespace, mutateNew } from './create.ts';
import { decodeBody } from './decode.ts';
import { parseResourceVersion } from './errors.ts';
import { freeze } from './frozen.ts';
import { type Subresource, trackUpdate } from './managed-fields.ts';
import { holdsContent } from './namespace-phase.ts';
import { validateWriteOptions } from './options.ts';
import { dedupOwnerReferences } from './owner-references.ts';
import { storageKey } from './storage-key.ts';
import { type Call, type Target, withMetadata } from './target.ts';
import { validateChanged } from './validate.ts';
import { present } from './versions.ts';

/** What an update does, besides what all do. */
export interface Update {
  readonly subresource: Subresource;
  /** The object as it should become, before admission; managed fields are in it. Without `live` it would be created. */
  compute(live: ServerObject | undefined): JsonObject;
  /** The uid that the object must have. */
  readonly uid?: string | undefined;
  /** Also where the kind does not allow it: server-side apply. */
  readonly allowsCreate?: boolean;
  /** Takes the place of the kind's own hooks: the `finalize` subresource of namespaces. */
  readonly prepare?: (object: ServerObject, live: ServerObject) => ServerObject;
}

const OUTDATED = 'the object has been modified; please apply your changes to the latest version and try again';

/**
 * The URL decides which object is meant.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/endpoints/handlers/rest.go (`checkName`)
 * @throws {StatusError} 400
 */
export const checkName = (object: JsonObject, { name }: Target): void => {
  const { name: own = '' } = object['metadata'] as { readonly name?: string };
  if (own === '') {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (own === name) return;
  throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`);
};

const checkUid = (call: Call, liveUid: string, uid: string | undefined): void => {
  if (uid === undefined || uid === liveUid) return;
  const said = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${liveUid}`;
  throw conflict(
    call.target.subject,
    `StorageError: invalid object, Code: 4, Key: ${storageKey(call)}, ResourceVersion: 0, AdditionalErrorMsg: ${said}`,
  );
};

/** The version that an object claims to have; 0 for none. @throws {StatusError} 500 for one that is no number */
const versionIn = (object: JsonObject): number => {
  const { resourceVersion } = object['metadata'] as { readonly resourceVersion?: string };
  return parseResourceVersion(resourceVersion, plainFailure);
};

/** Takes over the version of what is stored where the update may be unconditional, and compares it where not. */
const checkVersion = (target: Target, object: JsonObject, live: ServerObject): JsonObject => {
  const version = versionIn(object);
  if (version > 0) {
    if (version === Number(live.metadata.resourceVersion)) return object;
    throw conflict(target.subject, OUTDATED);
  }
  if (target.kind.strategy.allowsUnconditionalUpdate) {
    return withMetadata(object, { resourceVersion: live.metadata.resourceVersion });
  }
  throw invalid(target.subject, [invalidValue('metadata.resourceVersion', 0, 'must be specified for an update')]);
};

/** What an update cannot change in metadata is put back. */
const keepSystemFields = (object: ServerObject, { metadata: live }: ServerObject): ServerObject => {
  const { metadata } = object;
  const changes: Record<string, unknown> = {};
  if (Object.hasOwn(metadata, 'selfLink')) changes['selfLink'] = undefined;
  if (metadata.uid === undefined || metadata.uid === '') changes['uid'] = live.uid;
  if (metadata.creationTimestamp !== live.creationTimestamp) changes['creationTimestamp'] = live.creationTimestamp;
  if (live.deletionTimestamp !== undefined && metadata.deletionTimestamp !== live.deletionTimestamp) {
    changes['deletionTimestamp'] = live.deletionTimestamp;
  }
  if (live.deletionGracePeriodSeconds !== undefined && metadata.deletionGracePeriodSeconds === undefined) {
    changes['deletionGracePeriodSeconds'] = live.deletionGracePeriodSeconds;
  }
  return Object.keys(changes).length === 0 ? object : withMetadata(object, changes);
};

const hooksOf = ({ kind, version }: Target, { subresource, prepare }: Update) => {
  const where = { subresource: subresource === 'status' ? 'status' : '', version } as const;
  return {
    prepare:
      prepare ?? ((object: ServerObject, live: ServerObject) => kind.strategy.prepareForUpdate(object, live, where)),
    validate: (object: ServerObject, live: ServerObject) => kind.strategy.validateUpdate(object, live, where),
  };
};

/**
 * What comes before a changed object is stored.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/registry/rest/update.go (`BeforeUpdate`)
 */
const beforeUpdate = (
  target: Target,
  { object, live, update }: { object: JsonObject; live: ServerObject; update: Update },
): ServerObject => {
  const hooks = hooksOf(target, update);
  const placed = ensureNamespace(object, target.namespace);
  const { generation } = live.metadata;
  const isChanged = (placed['metadata'] as JsonObject)['generation'] !== generation;
  const counted = (isChanged ? withMetadata(placed, { generation }) : placed) as ServerObject;
  const next = keepSystemFields(hooks.prepare(counted, live), live);
  validateChanged(target, { object: next, live, found: hooks.validate(next, live) });
  return next;
};

/** @see k8s.io/apiserver v0.36.4 pkg/registry/generic/registry/store.go (`ShouldDeleteDuringUpdate`) */
const isFinished = (object: ServerObject, live: ServerObject, { kind }: Target): boolean => {
  if ((object.metadata.finalizers?.length ?? 0) > 0 || live.metadata.deletionTimestamp === undefined) return false;
  return (live.metadata.deletionGracePeriodSeconds ?? 0) === 0 && !holdsContent(object, kind);
};

const store = (call: Call, object: ServerObject, live: ServerObject): ServerObject => {
  if (isFinished(object, live, call.target)) {
    commitRemoval(call, live);
    return freeze(object);
  }
  return equalJson(object, live) ? live : commit(call, object);
};

/** What is stored gets a version of its own; a dry run answers what it was given, as the real server does. */
const withoutVersion = ({ options }: Call, object: JsonObject): JsonObject =>
  options.dryRun ? object : withMetadata(object, { resourceVersion: undefined });

/**
 * Changes an object, or creates it where that is allowed.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/registry/generic/registry/store.go (`Update`)
 */
export const updateInStore = (call: Call, update: Update): ServerResponse => {
  const { target } = call;
  const live = target.drawer.table.get(target.namespace, target.name);
  const { subresource } = update;
  if (live === undefined) {
    const mayCreate = subresource === '' && (update.allowsCreate === true || target.kind.strategy.allowsCreateOnUpdate);
    if (!mayCreate) throw notFound(target.subject);
    checkUid(call, '', update.uid);
    const computed = update.compute(undefined);
    versionIn(computed);
    return { code: 201, body: createInStore(call, mutateNew(call, withoutVersion(call, computed))) };
  }
  const shown = present(live, target);
  checkUid(call, shown.metadata.uid, update.uid);
  const computed = mutate(call, update.compute(shown), { old: shown, subresource });
  const versioned = checkVersion(target, computed, shown);
  const object = revertTimestamps(beforeUpdate(target, { object: versioned, live: shown, update }), shown);
  admit(call, object, { old: shown, subresource });
  return { code: 200, body: store(call, object, shown) };
};

/** The body of a PUT, checked against its URL. */
export const readUpdate = (call: Call): JsonObject => {
  const { target, options, request } = call;
  validateWriteOptions('UpdateOptions', options);
  const object = ensureNamespace(decodeBody(target, request, options), target.namespace);
  checkName(object, target);
  return dedupOwnerReferences(object);
};

/** The uid that an object in a body claims to have. */
export const uidIn = (object: JsonObject): string | undefined => {
  const { uid } = object['metadata'] as { readonly uid?: string };
  return uid === '' ? undefined : uid;
};

/** @see k8s.io/apiserver v0.36.4 pkg/endpoints/handlers/update.go */
export const handleUpdate = (call: Call, subresource: '' | 'status'): ServerResponse => {
  const object = readUpdate(call);
  return updateInStore(call, {
    subresource,
    uid: uidIn(object),
    compute: (live) => trackUpdate(call, object, { live, subresource }),
  });
};
