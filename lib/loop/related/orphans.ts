import type { AnyResource } from '#lib/desired/definition.ts';
import { byName } from '#lib/desired/observe/scoped-name.ts';
import { isOrphan, orphanNamesOf, selectorOf } from '#lib/desired/observe/selection.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';
import { viewOf } from '#lib/loop/cache/projection/view.ts';
import { suppliedOf } from '#lib/loop/cache/size/on-demand.ts';
import { type Context, cacheOf } from '#lib/loop/context/context.ts';
import { type Key, keyOf } from '#lib/loop/context/key.ts';
import type { Child } from '#lib/plan/step.ts';
import type { Lookup } from './lookups.ts';

/** The orphans that a resource may adopt, and the error of `selector` or `orphanNames`, if there was one. */
export interface Offer {
  readonly orphans: readonly Child[];
  readonly selectorError?: unknown;
}

type Offering = Pick<Context, 'definition' | 'lookups' | 'children'>;

const none: Offer = Object.freeze({ orphans: Object.freeze([]) });

/** The kinds that a resource may adopt: namespaced kinds if the resource is namespaced, otherwise cluster-scoped kinds. */
const adoptable = ({ definition }: Offering, { metadata }: AnyResource): readonly KindRef[] =>
  definition.owns.filter(
    ({ scope, elsewhere }) => elsewhere === undefined && (scope === 'Cluster') === (metadata.namespace === ''),
  );

/** The look-ups for orphans of some kinds: by labels, and by names. */
const lookupsOf = ({ definition }: Offering, resource: AnyResource, kinds: readonly KindRef[]): readonly Lookup[] => {
  const { namespace } = resource.metadata;
  const labels = selectorOf(definition, resource);
  const names = orphanNamesOf(definition, resource);
  return kinds.flatMap((kind): Lookup[] => [
    ...(labels === undefined ? [] : [{ ask: 'orphans' as const, kind, namespace, labels }]),
    ...names.map((name) => ({ ask: 'get' as const, kind, key: keyOf(namespace, name) })),
  ]);
};

const answerTo = (context: Offering, { metadata }: AnyResource, lookup: Lookup): readonly CachedObject[] => {
  const cache = cacheOf(context, lookup.kind);
  const found =
    lookup.ask === 'get'
      ? [cache.get(lookup.key)]
      : cache.select({ namespace: metadata.namespace, labels: lookup.labels, among: 'uncontrolled' });
  return found.filter(
    (object): object is CachedObject =>
      object !== undefined && isOrphan(object) && object.metadata.uid !== metadata.uid,
  );
};

const offerOf = (context: Offering, resource: AnyResource, lookups: readonly Lookup[]): readonly Child[] =>
  [...Map.groupBy(lookups, ({ kind }) => kind)].flatMap(([kind, same]) =>
    [...new Set(same.flatMap((lookup) => answerTo(context, resource, lookup)))]
      .toSorted(byName)
      .map((object) => ({ kind, object: suppliedOf(viewOf(kind, object)) })),
  );

/**
 * The orphans that a resource may adopt: objects of owned kinds in its namespace, or cluster-scoped objects for a
 * cluster-scoped resource, with the labels of its selector or one of its orphan names. See {@link isOrphan} for the meaning of
 * orphan. Children elsewhere are no orphans. The look-ups are remembered, so that a change of an orphan causes a pass of the
 * resource.
 *
 * An error of `selector` or `orphanNames` is returned and not thrown, because it concerns one resource only.
 */
export const offeredTo = (context: Offering, key: Key, resource: AnyResource): Offer => {
  const { definition, lookups } = context;
  if (definition.selector === undefined && definition.orphanNames === undefined) return none;
  try {
    const asked = lookupsOf(context, resource, adoptable(context, resource));
    lookups.remember(key, 'orphans', asked);
    return { orphans: offerOf(context, resource, asked) };
  } catch (error) {
    lookups.remember(key, 'orphans', []);
    return { ...none, selectorError: error ?? new TypeError(`selector() threw ${String(error)}`) };
  }
};
