import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';

/** The namespace and the name of an object. The namespace is empty for a cluster-scoped object. */
export interface ObjectPlace {
  readonly namespace: string;
  readonly name: string;
}

/**
 * The name of an object relative to a resource: the name alone for an object in the namespace of the resource and for a
 * cluster-scoped object, otherwise `<namespace>/<name>`. Names of objects contain no slash.
 *
 * @param options - `from`: the namespace of the resource; empty when it is cluster-scoped
 */
export const scopedName = ({ metadata }: KubeObject, { from }: { readonly from: string }): string => {
  const { name = '', namespace = '' } = metadata ?? {};
  return namespace !== '' && namespace !== from ? `${namespace}/${name}` : name;
};

/** A resource in messages, such as `PodSet "default/web"`; without a namespace for a cluster-scoped resource. */
export const resourceText = ({ kind }: { readonly kind: string }, resource: KubeObject): string =>
  `${kind} "${scopedName(resource, { from: '' })}"`;

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
  return from === '' ? elsewherePlace(name) : { namespace: from, name };
};

const elsewherePlace = (name: string): ObjectPlace | undefined => {
  const slash = name.indexOf('/');
  return slash > 0 ? { namespace: name.slice(0, slash), name: name.slice(slash + 1) } : undefined;
};

/**
 * The namespace and the name of a child, see {@link scopedName}. In contrast to {@link placeOf}, which is for look-ups, a child of
 * a namespaced resource may be in another namespace.
 */
export const childPlaceOf = (...[kind, name, options]: Parameters<typeof placeOf>): ObjectPlace | undefined =>
  (kind.scope === 'Cluster' ? undefined : elsewherePlace(name)) ?? placeOf(kind, name, options);

/** Orders objects by name, and objects with the same name by namespace. */
export const byName = (a: KubeObject, b: KubeObject): number => {
  const [one, other] = [a.metadata?.name ?? '', b.metadata?.name ?? ''];
  if (one !== other) return one < other ? -1 : 1;
  return (a.metadata?.namespace ?? '') < (b.metadata?.namespace ?? '') ? -1 : 1;
};
