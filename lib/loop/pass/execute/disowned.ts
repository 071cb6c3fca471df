import { isStray } from '#lib/desired/marks/marks.ts';
import { ownershipsOf } from '#lib/desired/marks/ownership.ts';
import { carries } from '#lib/desired/observe/selection.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { keyOfObject } from '#lib/loop/cache/objects.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';
import { type Context, cacheOf } from '#lib/loop/context/context.ts';
import type { Key } from '#lib/loop/context/key.ts';
import { type RememberedResource, slot } from '#lib/loop/context/memory.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import { identityOf } from '#lib/plan/identity.ts';

/** A child from which admission or another writer removed our owner reference. */
interface DisownedChild {
  readonly kind: KindRef;
  readonly key: Key;
  readonly uid: string;
}

/**
 * The children that lack our owner reference, although the operator set it. Admission removed it in the same request, or another
 * writer removes it after each adoption.
 */
const disownedSlot = slot<readonly DisownedChild[]>('disowned', {
  empty: [],
  inspect: (children) => children.map(({ kind, key }) => `${kind.kind} ${key}`),
});

/** An object of the cache, and the handle of its kind. */
export interface KindedObject {
  readonly kind: KindRef;
  readonly object: CachedObject;
}

/**
 * Whether an object without a controller has the annotation of an intent and the label of the resource, like a restored child.
 */
export const isMarkedAsOurs = ({ definition }: Context, { resource }: Snapshot, object: ApiObject): boolean =>
  isStray(object) && carries(object, identityOf(definition).labelsOf(resource.metadata));

/**
 * The children from which admission or another writer removes our owner reference, including terminating children. The loop
 * treats them as children: a function that does not see them would create replacements again and again.
 */
export const disownedChildren = (
  context: Pick<Context, 'memory' | 'children' | 'definition'>,
  place: RememberedResource,
): readonly KindedObject[] =>
  disownedSlot.get(context, place).flatMap(({ kind, key, uid }) => {
    const object = cacheOf(context, kind).get(key);
    return object?.metadata.uid === uid && ownershipsOf(object).length === 0 ? [{ kind, object }] : [];
  });

/**
 * Remembers a child from which admission or another writer removes our owner reference. Forgets children that are gone or have an
 * owner again.
 */
export const noteDisowned = (
  context: Context,
  seen: Snapshot,
  { kind, answer }: { readonly kind: KindRef; readonly answer: ApiObject },
): void => {
  const { uid } = answer.metadata;
  const others = disownedChildren(context, seen).filter(({ object }) => object.metadata.uid !== uid);
  const kept = others.map((other) => ({
    kind: other.kind,
    key: keyOfObject(other.object),
    uid: other.object.metadata.uid,
  }));
  disownedSlot.set(context, seen, [...kept, { kind, key: keyOfObject(answer), uid }]);
};
