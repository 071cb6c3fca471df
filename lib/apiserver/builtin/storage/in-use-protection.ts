import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { AdmissionRequest } from '#lib/apiserver/machinery/served-kind.ts';

/**
 * Adds a protection finalizer to a new object, after the finalizers that the object has.
 *
 * @see k8s.io/kubernetes v1.36.4 plugin/pkg/admission/storage/storageobjectinuseprotection/admission.go
 */
export const protectedBy = (finalizer: string, { operation, subresource, object }: AdmissionRequest): ServerObject => {
  const { finalizers = [] } = object.metadata;
  if (operation !== 'create' || subresource !== '' || finalizers.includes(finalizer)) return object;
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } };
};
