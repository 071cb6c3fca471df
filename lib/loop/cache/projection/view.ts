import { isDeepStrictEqual } from 'node:util';
import { deepFreeze } from '#lib/desired/canonical/freeze.ts';
import { isAnnotationField } from '#lib/desired/observe/declared-annotations.ts';
import { declaredView } from '#lib/desired/observe/declared-view.ts';
import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { excessOf } from '#lib/loop/cache/size/stub.ts';
import { keptFieldsOf } from './fingerprint.ts';
import { type CachedObject, type Projection, projectionOf } from './projection.ts';

interface View {
  readonly project: Projection;
  readonly views: WeakMap<CachedObject, CachedObject>;
  /** Whether the kind reads all of the given fields. The sources have few lists of fields, and each list is compared once. */
  readonly readsAll: WeakMap<readonly string[], boolean>;
}

const perKind = new WeakMap<KindRef, View>();

const viewFor = (kind: KindRef): View => {
  const known = perKind.get(kind);
  if (known) return known;
  const created: View = { project: projectionOf(kind.fields), views: new WeakMap(), readsAll: new WeakMap() };
  perKind.set(kind, created);
  return created;
};

/** Whether a kind reads all fields that the cache keeps of an object. */
const readsAllOf = ({ fields = [] }: KindRef, { readsAll }: View, object: CachedObject): boolean => {
  const kept = keptFieldsOf(object);
  if (kept === undefined) return false;
  const known = readsAll.get(kept);
  if (known !== undefined) return known;
  const result = kept.every((field) => isAnnotationField(field) || fields.includes(field));
  readsAll.set(kept, result);
  return result;
};

const throwingView = (kind: KindRef, whole: KubeObject, { metadata }: CachedObject): CachedObject => {
  const { annotations = {} } = metadata;
  return deepFreeze(declaredView(kind, whole, () => annotations)) as CachedObject;
};

/**
 * Returns a cached object with only the fields that one kind declares. The cache keeps each field that at least one kind of the
 * process reads. A function must not see the fields that only other kinds read. If the whole object is kept ({@link wholeOf}), a
 * read of a field that the kind did not declare throws.
 *
 * @param kind - a handle of `owns` or `reads`, or the handle of the parents of an extension
 * @param object - an object of the cache
 * @returns the same view for the same object every time; the object itself for a stub, or if the kind reads all kept fields
 */
export const viewOf = (kind: KindRef, object: CachedObject): CachedObject => {
  if (kind.fields === undefined) return object;
  // A stub is returned as its own view, so that the pass recognises it.
  if (excessOf(object)) return object;
  const view = viewFor(kind);
  const whole = wholeOf(object);
  if (whole === undefined && readsAllOf(kind, view, object)) return object;
  const known = view.views.get(object);
  if (known) return known;
  const reduced = whole ? throwingView(kind, whole, object) : view.project(object as unknown as ApiObject);
  // A copy would double the memory.
  const made = whole === undefined && isDeepStrictEqual(reduced, object) ? object : reduced;
  view.views.set(object, made);
  return made;
};

const wholes = new WeakMap<CachedObject, KubeObject>();

/**
 * The object before its projection, with the metadata that the projection kept, and with all annotations.
 *
 * @param object - a result of a projection that {@link withWhole} made; undefined is returned for other objects
 */
const wholeOf = (object: CachedObject): KubeObject | undefined => {
  const whole = wholes.get(object);
  // The view needs all annotations, so that a read of an annotation that the cache does not keep throws.
  const { annotations } = whole?.metadata ?? {};
  return whole && { ...whole, metadata: { ...object.metadata, ...(annotations && { annotations }) } };
};

/** A projection that also keeps its input as long as its result exists. For tests and simulations, not for production. */
export const withWhole =
  (project: Projection): Projection =>
  (object) => {
    const projected = project(object);
    if ((projected as unknown) !== object) wholes.set(projected, object);
    return projected;
  };
