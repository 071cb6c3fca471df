import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ServerResponse } from '#lib/apiserver/machinery/request.ts';
import { notFound } from '#lib/apiserver/machinery/status.ts';
import { equalJson, type JsonObject } from '#lib/json.ts';
import { type Call, type Target, withMetadata } from '../target.ts';
import { present } from '../versions.ts';
import { admitDeletion } from '../write/admission.ts';
import { commit, commitRemoval } from '../write/commit.ts';
import { failedPrecondition } from '../write/storage-key.ts';
import { type DeletionOptions, deleteOptionsOf } from './delete-options.ts';
import { beforeDelete, type DeletionVerdict, markAsDeleting } from './graceful-deletion.ts';
import { finalizersFor } from './propagation.ts';

/** The result of a deletion. */
export interface Deletion {
  readonly body: JsonObject;
  readonly isGone: boolean;
}

/**
 * Returns the body of the response to a deletion: the object or a Status, depending on the kind.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/registry/generic/registry/store.go (`finalizeDelete`)
 */
const report = ({ kind, subject }: Target, object: ServerObject): JsonObject => {
  if (kind.strategy.returnsDeletedObject === true) return object;
  const { name, uid } = object.metadata;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(subject.group !== '' && { group: subject.group }), kind: subject.kind, uid },
  };
};

/** Returns the object marked as terminating; undefined when the object can be removed without another write. */
const lingering = (
  call: Call,
  live: ServerObject,
  { verdict, options }: { readonly verdict: DeletionVerdict; readonly options: DeletionOptions },
): ServerObject | undefined => {
  const given = verdict.is === 'graceful' ? verdict.object : live;
  const finalizers = finalizersFor(call.target.kind, given, options);
  const object =
    finalizers === undefined
      ? given
      : withMetadata(given, { finalizers: finalizers.length === 0 ? undefined : finalizers });
  const isHeld = (object.metadata.finalizers?.length ?? 0) > 0;
  if (verdict.is === 'graceful') return object;
  return isHeld ? markAsDeleting(call, object) : undefined;
};

const remove = (call: Call, object: ServerObject): Deletion => {
  const { store } = call.server;
  commitRemoval(call, object);
  const isDryRun = call.options.dryRun === true;
  const last = isDryRun ? object : withMetadata(object, { resourceVersion: String(store.version) });
  return { body: report(call.target, last), isGone: true };
};

const save = (call: Call, object: ServerObject, live: ServerObject): ServerObject =>
  equalJson(object, live) ? live : commit(call, object);

/**
 * Refuses a resource version as a precondition, if the deletion also removes the last finalizer of the object. The real server
 * compares the version of an empty object in this case.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/registry/generic/registry/store.go (`Delete`: `deleteImmediately && preconditions.ResourceVersion != nil`)
 */
const checkReleasedVersion = (call: Call, live: ServerObject, { resourceVersion }: DeletionOptions): void => {
  const isReleased = (live.metadata.finalizers?.length ?? 0) > 0;
  if (!isReleased || resourceVersion === undefined || call.options.dryRun === true) return;
  throw failedPrecondition(call, 'ResourceVersion', { required: '', actual: live.metadata.resourceVersion });
};

/**
 * Deletes an object, or marks it as terminating.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/registry/generic/registry/store.go (`Delete`)
 * @throws {StatusError} 404, or 409 when a precondition fails
 */
export const deleteFromStore = (call: Call, options: DeletionOptions): Deletion => {
  const { target } = call;
  const stored = target.collection.table.get(target.namespace, target.name);
  if (stored === undefined) throw notFound(target.subject);
  const live = present(stored, target);
  const verdict = beforeDelete(call, live, options);
  if (verdict.is === 'pending') return { body: report(target, live), isGone: false };
  admitDeletion(call, live);
  const object = lingering(call, live, { verdict, options });
  if (object === undefined) {
    checkReleasedVersion(call, live, options);
    return remove(call, live);
  }
  const saved = save(call, object, live);
  const isHeld = (saved.metadata.finalizers?.length ?? 0) > 0;
  if (isHeld || (verdict.is === 'graceful' && verdict.seconds > 0)) return { body: saved, isGone: false };
  return remove(call, saved);
};

/** Reads the options of a deletion. Returns the options, and the call with their value of `dryRun`. */
export const withDeleteOptions = (call: Call): { readonly call: Call; readonly options: DeletionOptions } => {
  const options = deleteOptionsOf(call);
  return { call: { ...call, options: { ...call.options, dryRun: options.isDryRun } }, options };
};

/** Handles a delete request. @see k8s.io/apiserver v0.36.4 pkg/endpoints/handlers/delete.go (`DeleteResource`) */
export const handleDelete = (
  given: Call,
  deleteObject: (call: Call, options: DeletionOptions) => Deletion,
): ServerResponse => {
  const { call, options } = withDeleteOptions(given);
  const { body, isGone } = deleteObject(call, options);
  return { code: !isGone && options.orphanDependents === false ? 202 : 200, body };
};
