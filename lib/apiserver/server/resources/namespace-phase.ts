import { isResource, resources } from '#lib/apiserver/machinery/resources.ts';
import type { ServedKind } from '#lib/apiserver/machinery/served-kind.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';

/** The finalizers in the spec of a namespace. The namespace controller removes them when the namespace is empty. */
export const contentFinalizers = (namespace: JsonObject): readonly unknown[] => {
  const { spec } = namespace;
  const finalizers = isPlainObject(spec) ? spec['finalizers'] : undefined;
  return Array.isArray(finalizers) ? finalizers : [];
};

/**
 * Whether an object is a namespace that may not be removed yet because it still has content.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/registry/core/namespace/storage/storage.go (`ShouldDeleteNamespaceDuringUpdate`)
 */
export const holdsContent = (object: JsonObject, kind: ServedKind): boolean =>
  isResource(kind, resources.namespaces) && contentFinalizers(object).length > 0;

/** Whether a namespace accepts new content. */
export const phaseOf = (namespace: JsonObject): 'active' | 'terminating' => {
  const { status } = namespace;
  return isPlainObject(status) && status['phase'] === 'Terminating' ? 'terminating' : 'active';
};
