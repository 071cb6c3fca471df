import { equalJson, isPlainObject, type JsonObject } from '#lib/json.ts';
import type { OwnerReference } from '#lib/kind/handles/reference.ts';

const isSameOwner = (a: OwnerReference, b: OwnerReference): boolean => a.uid === b.uid && equalJson(a, b);

/**
 * Removes identical duplicates from owner references.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/endpoints/handlers/rest.go (`dedupOwnerReferences`)
 */
export const dedupOwnerReferences = <O extends JsonObject>(object: O): O => {
  const { metadata } = object;
  if (!isPlainObject(metadata) || !Array.isArray(metadata['ownerReferences'])) return object;
  const owners: readonly OwnerReference[] = metadata['ownerReferences'];
  if (owners.length < 2) return object;
  const once = owners.filter((owner, i) => !owners.slice(0, i).some((other) => isSameOwner(owner, other)));
  return once.length === owners.length ? object : { ...object, metadata: { ...metadata, ownerReferences: once } };
};
