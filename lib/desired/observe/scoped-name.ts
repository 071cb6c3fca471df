import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';

/** The namespace and the name of an object. The namespace is empty for a cluster-scoped object. */
export interface ObjectPlace {
  readonly namespace: string;
  readonly name: string;
}

/**
 * The name of an object relative to a resource: `<namespace>/<name>` if the resource is cluster-scoped and the object is not,
 * otherwise the name alone. Names of objects contain no slash.
 *
 * @param options - `from`: the namespace of the resource; empty when it is cluster-scoped
 */
export const scopedName = ({ metadata }: KubeObject, { from }: { readonly from: string }): string => {
  const { name = '', namespace = '' } = metadata ?? {};
  return from === '' && namespace !== '' ? `${namespace}/${name}` : name;
};

/**
 * The namespace and the name of a relative name, see {@link scopedName}.
 *
 * @param options - `from`: the namespace of the resource; empty when it is cluster-scoped
 * @returns `undefined` when a cluster-scoped resource uses a name without a namespace
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

/** Orders objects by name, and objects with the same name by namespace. */
export const byName = (a: KubeObject, b: KubeObject): number => {
  const [one, other] = [a.metadata?.name ?? '', b.metadata?.name ?? ''];
  if (one !== other) return one < other ? -1 : 1;
  return (a.metadata?.namespace ?? '') < (b.metadata?.namespace ?? '') ? -1 : 1;
};
