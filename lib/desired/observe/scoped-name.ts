import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';

/** Where an object is; the namespace is empty for a cluster-scoped one. */
export interface ObjectPlace {
  readonly namespace: string;
  readonly name: string;
}

/**
 * The name of an object relative to a resource: the name alone when both are in the same namespace or the object is in none,
 * `<namespace>/<name>` when the resource is cluster-scoped and the object is not. No name contains a slash.
 *
 * @param options - `from`: the namespace of the resource; empty when it is cluster-scoped
 */
export const scopedName = ({ metadata }: KubeObject, { from }: { readonly from: string }): string => {
  const { name = '', namespace = '' } = metadata ?? {};
  return from === '' && namespace !== '' ? `${namespace}/${name}` : name;
};

/**
 * The namespace and name for a relative name, see {@link scopedName}.
 *
 * @param options - `from`: the namespace of the resource; empty when it is cluster-scoped
 * @returns `undefined` when the name by a cluster-scoped resource has no namespace
 */
export const placeOf = (
  kind: Pick<KindRef, 'scope'>,
  name: string,
  { from }: { readonly from: string },
): ObjectPlace | undefined => {
  if (kind.scope === 'Cluster') return { namespace: '', name };
  if (from !== '') return { namespace: from, name };
  const slash = name.indexOf('/');
  return slash > 0 ? { namespace: name.slice(0, slash), name: name.slice(slash + 1) } : undefined;
};

/** Sorted by name, and by namespace where names are the same. */
export const byName = (a: KubeObject, b: KubeObject): number => {
  const [one, other] = [a.metadata?.name ?? '', b.metadata?.name ?? ''];
  if (one !== other) return one < other ? -1 : 1;
  return (a.metadata?.namespace ?? '') < (b.metadata?.namespace ?? '') ? -1 : 1;
};
