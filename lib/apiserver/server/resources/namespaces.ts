import { invalid } from '#lib/apiserver/machinery/field-error.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ServerResponse } from '#lib/apiserver/machinery/request.ts';
import { conflict, forbidden } from '#lib/apiserver/machinery/status.ts';
import { timestamp } from '#lib/apiserver/machinery/text/timestamp.ts';
import { checkSpecFinalizer } from '#lib/apiserver/machinery/validation/object-meta.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { type Call, kindSubject, type Target, withMetadata } from '../target.ts';
import { type Deletion, deleteFromStore } from '../verbs/delete.ts';
import type { DeletionOptions } from '../verbs/delete-options.ts';
import { liveObject } from '../verbs/get.ts';
import { readUpdate, uidIn, updateInStore } from '../verbs/update.ts';
import { commit } from '../write/commit.ts';
import { trackWrite } from '../write/managed-fields.ts';
import { contentFinalizers } from './namespace-phase.ts';

/** @see k8s.io/apiserver v0.36.4 pkg/admission/plugin/namespace/lifecycle/admission.go */
const IMMORTAL = new Set(['default', 'kube-system', 'kube-public']);

/**
 * Checks the preconditions of the deletion of a namespace or a CRD. On the real server, the registries of these two kinds
 * have other messages than the generic registry.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/registry/core/namespace/storage/storage.go (`Delete`)
 * @throws {StatusError} 409
 */
export const checkOwnPreconditions = (
  { subject }: Target,
  { metadata }: ServerObject,
  options: DeletionOptions,
): void => {
  const { uid = metadata.uid, resourceVersion = metadata.resourceVersion } = options;
  const failed = (what: string, said: string, is: string): Error =>
    conflict(subject, `Precondition failed: ${what} in precondition: ${said}, ${what} in object meta: ${is}`);
  if (uid !== metadata.uid) throw failed('UID', uid, metadata.uid);
  if (resourceVersion === metadata.resourceVersion) return;
  throw failed('ResourceVersion', resourceVersion, metadata.resourceVersion);
};

const wants = (
  { orphanDependents, propagationPolicy }: DeletionOptions,
  policy: 'Orphan' | 'Foreground',
): boolean | undefined => {
  if (orphanDependents !== undefined) return (policy === 'Orphan') === orphanDependents;
  return propagationPolicy === undefined ? undefined : propagationPolicy === policy;
};

const withFinalizer = (names: readonly string[], name: string, isWanted: boolean | undefined): readonly string[] => {
  if (isWanted === undefined || names.includes(name) === isWanted) return names;
  return isWanted ? [...names, name] : names.filter((other) => other !== name);
};

/**
 * Returns the finalizers of a namespace after a deletion was requested. Depending on the options, finalizers of the garbage
 * collector are added or removed.
 */
const finalizersOf = ({ metadata: { finalizers = [] } }: ServerObject, options: DeletionOptions): readonly string[] =>
  withFinalizer(
    withFinalizer(finalizers, 'orphan', wants(options, 'Orphan')),
    'foregroundDeletion',
    wants(options, 'Foreground'),
  );

const terminate = (call: Call, live: ServerObject, options: DeletionOptions): ServerObject => {
  const finalizers = finalizersOf(live, options);
  const status = isPlainObject(live['status']) ? live['status'] : {};
  const object = withMetadata(live, {
    deletionTimestamp: timestamp(call.server.now()),
    finalizers: finalizers.length === 0 ? undefined : finalizers,
  });
  return commit(call, { ...object, status: { ...status, phase: 'Terminating' } });
};

/**
 * Deletes a namespace. The namespace stays terminating while its spec or its metadata has finalizers.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/registry/core/namespace/storage/storage.go (`Delete`)
 * @throws {StatusError} 403 for a namespace that cannot be deleted, 404 when the namespace does not exist, or 409 when a
 * precondition fails
 */
export const deleteNamespace = (call: Call, options: DeletionOptions): Deletion => {
  const live = liveObject(call);
  checkOwnPreconditions(call.target, live, options);
  if (IMMORTAL.has(call.target.name)) throw forbidden(call.target.subject, 'this namespace may not be deleted');
  if (live.metadata.deletionTimestamp === undefined) return { body: terminate(call, live, options), isGone: false };
  if (contentFinalizers(live).length > 0) return { body: live, isGone: false };
  return deleteFromStore(call, options);
};

/** @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidateNamespaceFinalizeUpdate`) */
const checkContentFinalizers = (target: Target, object: JsonObject): void => {
  const errors = contentFinalizers(object).flatMap((finalizer, i) =>
    checkSpecFinalizer(`spec.finalizers[${i}]`, finalizer),
  );
  if (errors.length > 0) throw invalid(kindSubject(target, target.name), errors);
};

/** Handles PUT of the subresource `finalize`, the only update that can change the finalizers in the spec of a namespace. */
export const handleFinalize = (call: Call): ServerResponse => {
  const object = readUpdate(call);
  return updateInStore(call, {
    subresource: 'finalize',
    uid: uidIn(object),
    compute: (live) => trackWrite(call, object, { live, subresource: 'finalize' }),
    prepare: (next, live) => {
      checkContentFinalizers(call.target, next);
      return { ...next, status: live['status'] };
    },
  });
};
