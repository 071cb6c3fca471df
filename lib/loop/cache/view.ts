import type { KindRef } from '#lib/kind/reference.ts';
import type { ApiObject } from '#lib/kube/api.ts';
import { type CachedObject, type Projection, projectionOf } from './projection.ts';

interface View {
  readonly project: Projection;
  readonly views: WeakMap<CachedObject, CachedObject>;
}

const perKind = new WeakMap<KindRef, View>();

const viewFor = (kind: KindRef): View => {
  const known = perKind.get(kind);
  if (known) return known;
  const created = { project: projectionOf(kind.fields), views: new WeakMap<CachedObject, CachedObject>() };
  perKind.set(kind, created);
  return created;
};

/**
 * A cached object as one kind declared to read it. The cache keeps what all kinds of the process read; a function must not
 * see more because another kind happens to run beside it.
 *
 * @param kind - a handle of `owns`
 * @param object - from the cache
 * @returns the same view every time
 */
export const viewOf = (kind: KindRef, object: CachedObject): CachedObject => {
  if (kind.fields === undefined) return object;
  const { project, views } = viewFor(kind);
  const known = views.get(object);
  if (known) return known;
  const view = project(object as unknown as ApiObject);
  views.set(object, view);
  return view;
};
