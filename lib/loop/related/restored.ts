import type { AnyResource } from '#lib/desired/definition.ts';
import { isStray } from '#lib/desired/marks/marks.ts';
import { labelValueOf, mayStandForLonger, ownerLabel } from '#lib/desired/marks/names.ts';
import { byName } from '#lib/desired/observe/scoped-name.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';
import { viewOf } from '#lib/loop/cache/projection/view.ts';
import { type Context, cacheOf } from '#lib/loop/context/context.ts';
import { type Key, keyOf } from '#lib/loop/context/key.ts';
import { identityOf } from '#lib/plan/identity.ts';
import type { Child } from '#lib/plan/step.ts';

/**
 * The children that a backup restored without their owner reference. These are objects of owned kinds without a controller,
 * except children elsewhere. Each has the annotation of an intent, and an owner label that names the resource. Empty for an
 * extension, and for a resource that is being deleted.
 *
 * @see docs/decisions/restored-children.md for the meaning of each mark, and for how it can be forged
 */
export const restoredFor = (
  context: Pick<Context, 'definition' | 'children'>,
  { metadata }: AnyResource,
): readonly Child[] => {
  // The garbage collector would delete an adopted object with the resource.
  if (metadata.deletionTimestamp !== undefined) return [];
  const { definition } = context;
  // A user can copy an object with its labels and annotations to another namespace. An extension may have children in every
  // namespace, so it adopts only objects with a name that its function returns.
  if (definition.extension) return [];
  const label = identityOf(definition).labelsOf(metadata);
  const atHome = definition.owns.filter((kind) => kind.elsewhere === undefined);
  return atHome.flatMap((kind) => {
    const namespace = metadata.namespace === '' && kind.scope !== 'Cluster' ? undefined : metadata.namespace;
    const found = cacheOf(context, kind).select({ namespace, labels: label, among: 'strays' });
    const others = found.filter((object) => object.metadata.uid !== metadata.uid);
    return others.toSorted(byName).map((object): Child => ({ kind, object: viewOf(kind, object) }));
  });
};

/**
 * The key of the resource that would adopt a restored object, see {@link restoredFor}; undefined for any other object. A change
 * of the object causes a pass of this resource.
 */
export const restoredKeyOf = (
  { definition, resources }: Pick<Context, 'definition' | 'resources'>,
  object: CachedObject,
): Key | undefined => {
  if (definition.extension !== undefined || !isStray(object)) return undefined;
  const value = object.metadata.labels?.[ownerLabel(definition)];
  if (value === undefined) return undefined;
  const namespace = definition.scope === 'Cluster' ? '' : (object.metadata.namespace ?? '');
  if (!mayStandForLonger(value)) return keyOf(namespace, value);
  const owner = [...resources.all()].find(
    ({ metadata }) => (metadata.namespace ?? '') === namespace && labelValueOf(metadata.name) === value,
  );
  return owner && keyOf(namespace, owner.metadata.name);
};
