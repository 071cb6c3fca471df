import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { isEstablished, withDefinitionCondition } from './naming.ts';

/** The finalizer that keeps a CRD until the instances of its kind are deleted. */
const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

const terminating = (status: 'True' | 'False', reason: string, message: string) => ({
  type: 'Terminating',
  status,
  reason,
  message,
});

/**
 * Returns a CRD after its first deletion. The CRD is not removed at once: it stays terminating while instances
 * of its kind exist. Clients cannot create instances of a terminating CRD (403).
 *
 * @param now - RFC 3339, whole seconds
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/registry/customresourcedefinition/etcd.go (`Delete`)
 */
export const markForDeletion = (definition: ServerObject, now: string): ServerObject => {
  const { finalizers = [], deletionTimestamp = now } = definition.metadata;
  const kept = finalizers.includes(CLEANUP_FINALIZER) ? finalizers : [...finalizers, CLEANUP_FINALIZER];
  const marked = { ...definition, metadata: { ...definition.metadata, deletionTimestamp, finalizers: kept } };
  const message = 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon';
  return withDefinitionCondition(marked, terminating('True', 'InstanceDeletionPending', message), now);
};

/** Whether a CRD is terminating and has the finalizer of the cleanup. */
export const awaitsCleanup = (definition: ServerObject): boolean =>
  definition.metadata.deletionTimestamp !== undefined &&
  (definition.metadata.finalizers ?? []).includes(CLEANUP_FINALIZER);

/** Returns a CRD with the condition that the deletion of its instances has begun. */
export const startCleanup = (definition: ServerObject, now: string): ServerObject =>
  withDefinitionCondition(
    definition,
    terminating('True', 'InstanceDeletionInProgress', 'CustomResource deletion is in progress'),
    now,
  );

/**
 * Returns a CRD without the finalizer of the cleanup, after the last instance was removed, or if the kind was never
 * established. Without other finalizers, the server then removes the CRD.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/controller/finalizer/crd_finalizer.go
 */
export const finishCleanup = (definition: ServerObject, now: string): ServerObject => {
  const condition = isEstablished(definition)
    ? terminating('False', 'InstanceDeletionCompleted', 'removed all instances')
    : terminating('False', 'NeverEstablished', 'resource was never established');
  const { finalizers: old = [], ...metadata } = definition.metadata;
  const finalizers = old.filter((name) => name !== CLEANUP_FINALIZER);
  const freed = { ...definition, metadata: { ...metadata, ...(finalizers.length > 0 && { finalizers }) } };
  return withDefinitionCondition(freed, condition, now);
};
