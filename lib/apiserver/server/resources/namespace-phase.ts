import { objectIn, textsIn } from '#lib/apiserver/machinery/members.ts';
import { isResource, resources } from '#lib/apiserver/machinery/resources.ts';
import type { ServedKind } from '#lib/apiserver/machinery/served-kind.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';

/** Returns the finalizers in the spec of a namespace. The namespace controller removes them when the namespace is empty. */
export const contentFinalizers = (namespace: JsonObject): readonly string[] =>
  textsIn(objectIn(namespace, 'spec'), 'finalizers');

/**
 * Whether an object is a namespace with finalizers in its spec. Such a namespace must not be removed from the store.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/registry/core/namespace/storage/storage.go (`ShouldDeleteNamespaceDuringUpdate`)
 */
export const holdsContent = (object: JsonObject, kind: ServedKind): boolean =>
  isResource(kind, resources.namespaces) && contentFinalizers(object).length > 0;

/** Returns the phase of a namespace. A namespace without the phase Terminating counts as active. */
export const phaseOf = (namespace: JsonObject): 'active' | 'terminating' => {
  const { status } = namespace;
  return isPlainObject(status) && status['phase'] === 'Terminating' ? 'terminating' : 'active';
};
