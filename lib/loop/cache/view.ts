import { declaredView } from '#lib/desired/declared-view.ts';
import { deepFreeze } from '#lib/desired/freeze.ts';
import type { KindRef, KubeObject } from '#lib/kind/reference.ts';
import type { ApiObject } from '#lib/kube/api.ts';
import { type CachedObject, type Projection, projectionOf } from './projection.ts';
import { wholeOf } from './whole.ts';

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

const throwingView = (kind: KindRef, whole: KubeObject): CachedObject =>
  deepFreeze(declaredView(kind, whole)) as CachedObject;

/**
 * A cached object as one kind declared to read it. The cache keeps what all kinds of the process read; a function must not
 * see more because another kind happens to run beside it. Where the whole object is remembered ({@link wholeOf}), a look at
 * a field that the kind did not declare throws.
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
  const whole = wholeOf(object);
  const view = whole ? throwingView(kind, whole) : project(object as unknown as ApiObject);
  views.set(object, view);
  return view;
};
