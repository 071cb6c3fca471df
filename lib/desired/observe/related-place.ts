import { allowedPlaceIssues, isAllowedPlace } from '#lib/desired/marks/allowed-place.ts';
import { UndeclaredReadError } from '#lib/errors.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';
import { type ObjectPlace, placeOf } from './scoped-name.ts';

/** The resource that looks up objects. */
export interface SeenFrom {
  /** The namespace of the resource; empty for a cluster-scoped one. */
  readonly from: string;
  /** The namespace of the operator, in which `elsewhere()` with `any` allows no look-ups. @default unknown */
  readonly ownNamespace?: string | undefined;
}

/**
 * Whether the name of a looked-up namespaced object contains its namespace: for a cluster-scoped resource, and for a handle of
 * `elsewhere()`.
 */
const isFromAnywhere = ({ elsewhere }: KindRef, { from }: SeenFrom): boolean => elsewhere !== undefined || from === '';

/**
 * Returns namespace and name of an object that a resource looks up. A namespaced resource looks up namespaced objects in its own
 * namespace, and with a handle of `elsewhere()` in the namespaces of this handle. In the second case, and for a cluster-scoped
 * resource, the name of a namespaced object is `<namespace>/<name>`.
 *
 * @throws {UndeclaredReadError} when the name has no namespace, or the handle does not allow the namespace
 */
export const relatedPlace = (kind: KindRef, name: string, seenFrom: SeenFrom): ObjectPlace => {
  const place = placeOf(kind, name, { from: isFromAnywhere(kind, seenFrom) ? '' : seenFrom.from });
  const asked = `related.get(${kind.kind})`;
  if (!place) {
    const why =
      kind.elsewhere === undefined
        ? `${kind.kind} is namespaced, and the resource is not`
        : 'the handle is one of elsewhere()';
    const message = `must be <namespace>/<name>: ${why}`;
    throw new UndeclaredReadError(asked, [{ path: 'name', message, value: name, rule: 'namespace' }]);
  }
  const { namespaces } = kind.elsewhere ?? {};
  const { ownNamespace } = seenFrom;
  const issues = namespaces ? allowedPlaceIssues(place.namespace, { namespaces, ownNamespace, member: 'reads' }) : [];
  if (issues.length > 0) throw new UndeclaredReadError(asked, issues);
  return place;
};

/** The namespaces in which a resource lists objects; undefined stands for all, and the empty string for cluster-scoped objects. */
export const relatedNamespaces = (kind: KindRef, { from }: SeenFrom): readonly (string | undefined)[] => {
  if (kind.scope === 'Cluster') return [''];
  if (kind.elsewhere === undefined) return [from === '' ? undefined : from];
  const { namespaces = 'any' } = kind.elsewhere;
  return namespaces === 'any' ? [undefined] : namespaces;
};

/** Whether a look-up in all namespaces finds the objects of a namespace: `elsewhere()` with `any` does not allow every namespace. */
export const isRelated = (
  { elsewhere }: KindRef,
  namespace: string,
  { ownNamespace }: Pick<SeenFrom, 'ownNamespace'> = {},
): boolean => elsewhere === undefined || isAllowedPlace(namespace, { namespaces: elsewhere.namespaces, ownNamespace });
