import { revertTimestamps } from '#lib/apiserver/apply/revert-timestamps.ts';
import { invalid, invalidValue } from '#lib/apiserver/machinery/field-error.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ServerResponse } from '#lib/apiserver/machinery/request.ts';
import { badRequest, conflict, notFound, plainFailure } from '#lib/apiserver/machinery/status.ts';
import { equalJson, type JsonObject } from '#lib/json.ts';
import { parseResourceVersion } from '../errors.ts';
import { holdsContent } from '../resources/namespace-phase.ts';
import { freeze } from '../store/frozen.ts';
import { type Call, type Target, withMetadata } from '../target.ts';
import { present } from '../versions.ts';
import { admit, mutate } from '../write/admission.ts';
import { commit, commitRemoval } from '../write/commit.ts';
import { decodeBody } from '../write/decode.ts';
import { type Subresource, trackWrite } from '../write/managed-fields.ts';
import { dedupOwnerReferences } from '../write/owner-references.ts';
import { failedPrecondition } from '../write/storage-key.ts';
import { validateChanged } from '../write/validate.ts';
import { createInStore, ensureNamespace, mutateNew } from './create.ts';
import { validateWriteOptions } from './options.ts';

/** The parts of an update that differ between PUT, patch, apply and the subresources. */
export interface UpdatePlan {
  readonly subresource: Subresource;
  /** Computes the new object, with its managed fields, before admission. If `live` is undefined, the object does not exist. */
  compute(live: ServerObject | undefined): JsonObject;
  /** The uid that the stored object must have. */
  readonly uid?: string | undefined;
  /** Whether the request may create the object, even if a PUT of this kind may not; true for server-side apply. */
  readonly allowsCreate?: boolean;
  /** Replaces `prepareForUpdate` of the kind's strategy, for the subresource `finalize` of namespaces. */
  readonly prepare?: (object: ServerObject, live: ServerObject) => ServerObject;
}

const OUTDATED = 'the object has been modified; please apply your changes to the latest version and try again';

/**
 * Checks that the name in a body equals the name in the URL.
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
  throw failedPrecondition(call, 'UID', { required: uid, actual: liveUid });
};

/** The resource version in a body; 0 when it is absent. @throws {StatusError} 500 for a version that is not a number */
const versionIn = (object: JsonObject): number => {
  const { resourceVersion } = object['metadata'] as { readonly resourceVersion?: string };
  return parseResourceVersion(resourceVersion, plainFailure);
};

/**
 * Checks that the version in the body equals the stored version. If the kind permits unconditional updates, a body without a
 * version gets the stored version.
 */
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

/** Restores metadata that updates cannot change. */
const keepSystemFields = (object: ServerObject, { metadata: live }: ServerObject): ServerObject => {
  const { metadata } = object;
  const changes: Record<string, unknown> = {};
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

const hooksOf = ({ kind, version }: Target, { subresource, prepare }: UpdatePlan) => {
  const where = { subresource: subresource === 'status' ? 'status' : '', version } as const;
  return {
    prepare:
      prepare ?? ((object: ServerObject, live: ServerObject) => kind.strategy.prepareForUpdate(object, live, where)),
    validate: (object: ServerObject, live: ServerObject) => kind.strategy.validateUpdate(object, live, where),
  };
};

/** @see k8s.io/apiserver v0.36.4 pkg/registry/rest/update.go (`BeforeUpdate`) */
const beforeUpdate = (
  target: Target,
  { object, live, update }: { object: JsonObject; live: ServerObject; update: UpdatePlan },
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

/**
 * Whether a terminating object can be removed after an update: it has no finalizers, no grace period, and no content.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/registry/generic/registry/store.go (`ShouldDeleteDuringUpdate`)
 */
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

/**
 * Removes members of the metadata that the storage does not keep. In a dry run, the members stay, as on the real server.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/storage/api_object_versioner.go (`PrepareObjectForStorage`)
 */
const forStorage = ({ options }: Call, object: JsonObject, ...names: readonly string[]): JsonObject => {
  const unkept =
    options.dryRun === true ? [] : names.filter((name) => Object.hasOwn(object['metadata'] as object, name));
  return unkept.length === 0
    ? object
    : withMetadata(object, Object.fromEntries(unkept.map((name) => [name, undefined])));
};

/**
 * Updates an object. Creates an absent object if the kind or `update` allows this.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/registry/generic/registry/store.go (`Update`)
 */
export const updateInStore = (call: Call, update: UpdatePlan): ServerResponse => {
  const { target } = call;
  const live = target.collection.table.get(target.namespace, target.name);
  const { subresource } = update;
  if (live === undefined) {
    const mayCreate = subresource === '' && (update.allowsCreate === true || target.kind.strategy.allowsCreateOnUpdate);
    if (!mayCreate) throw notFound(target.subject);
    checkUid(call, '', update.uid);
    const computed = update.compute(undefined);
    const mutated = mutateNew(call, forStorage(call, computed, 'resourceVersion', 'selfLink'));
    versionIn(computed);
    return { code: 201, body: createInStore(call, mutated) };
  }
  const shown = present(live, target);
  checkUid(call, shown.metadata.uid, update.uid);
  const computed = mutate(call, update.compute(shown), { old: shown, subresource });
  const versioned = checkVersion(target, forStorage(call, computed, 'selfLink'), shown);
  const object = revertTimestamps(beforeUpdate(target, { object: versioned, live: shown, update }), shown);
  admit(call, object, { old: shown, subresource });
  return { code: 200, body: store(call, object, shown) };
};

/** Reads the body of a PUT, and checks that its name and namespace are those of the URL. */
export const readUpdate = (call: Call): JsonObject => {
  const { target, options, request } = call;
  validateWriteOptions('UpdateOptions', options);
  const object = ensureNamespace(decodeBody(target, request, options), target.namespace);
  checkName(object, target);
  return dedupOwnerReferences(object);
};

/** Returns the uid in a body; undefined when absent or empty. */
export const uidIn = (object: JsonObject): string | undefined => {
  const { uid } = object['metadata'] as { readonly uid?: string };
  return uid === '' ? undefined : uid;
};

/** Handles a PUT request. @see k8s.io/apiserver v0.36.4 pkg/endpoints/handlers/update.go */
export const handleUpdate = (call: Call, subresource: '' | 'status'): ServerResponse => {
  const object = readUpdate(call);
  return updateInStore(call, {
    subresource,
    uid: uidIn(object),
    compute: (live) => trackWrite(call, object, { live, subresource }),
  });
};
