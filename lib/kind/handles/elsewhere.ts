import type { KindRef, KubeObject } from './reference.ts';

/** The places outside of the namespace of a resource. A cluster-scoped kind has no namespaces. */
export interface Elsewhere {
  /**
   * The namespaces in which a resource may have children, or look up objects. `any` stands for all namespaces except those named
   * `kube-*` and the namespace of the operator.
   */
  readonly namespaces?: readonly string[] | 'any';
}

/**
 * Returns a handle for objects outside of the namespace of a resource. With this handle in `owns`, a definition allows its
 * resources to write to other namespaces, or to write cluster-scoped objects.
 *
 * - With names, the rights of the operator cover exactly these namespaces. With `any`, they cover all namespaces.
 * - The name of each child ends with a hash of the resource; make the name with {@link elsewhereName}.
 * - A label and an annotation mark the children, because an owner reference cannot name an owner in another namespace. The loop
 *   never changes an object without these marks.
 * - The loop deletes the children together with the resource. Resources of the kind have a finalizer, except parents of an
 *   extension.
 * - A resource cannot adopt or release objects of this handle.
 *
 * With this handle in `reads`, a definition allows its functions to look up objects in these namespaces. The operator has the
 * rights to list and watch there. `related.get()` then takes the name `<namespace>/<name>`, and `related.list()` covers all these
 * namespaces.
 *
 * @param kind - the handle of the kind; only for a namespaced definition
 * @param places - the namespaces; in `owns` without `namespaces` for a cluster-scoped kind
 * @returns a new handle; `kind` is unchanged
 * @see docs/decisions/children.md for what the author of a resource can and cannot reach
 * @example
 * owns: [Deployment, elsewhere(ConfigMap, { namespaces: ['monitoring'] }), elsewhere(PriorityClass)]
 * reads: [elsewhere(ConfigMap, { namespaces: ['platform'] })]
 */
export const elsewhere = <O extends KubeObject>(
  kind: KindRef<O>,
  { namespaces }: Elsewhere = {},
): KindRef<O> & { readonly elsewhere: Elsewhere } => ({
  ...kind,
  labelled: true,
  elsewhere: namespaces === undefined ? {} : { namespaces },
});

/**
 * Whether an object is cluster-scoped, or in another namespace than a resource; always false for a cluster-scoped resource.
 *
 * @param home - the namespace of the resource
 */
export const isElsewhere = ({ metadata }: KubeObject, { scope }: Pick<KindRef, 'scope'>, home: string): boolean =>
  home !== '' && (scope === 'Cluster' || (metadata?.namespace ?? home) !== home);
