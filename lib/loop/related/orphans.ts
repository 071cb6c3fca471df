import type { AnyResource } from '#lib/desired/definition.ts';
import { byName } from '#lib/desired/scoped-name.ts';
import { isOrphan, type Labels, selectorOf } from '#lib/desired/selection.ts';
import type { KindRef } from '#lib/kind/reference.ts';
import { viewOf } from '#lib/loop/cache/view.ts';
import { type Context, cacheOf } from '#lib/loop/context.ts';
import type { Key } from '#lib/loop/key.ts';
import type { Child } from '#lib/plan/step.ts';

/** What a resource may adopt; or why that is not known. */
export interface Offer {
  readonly orphans: readonly Child[];
  readonly selectorError?: unknown;
}

const none: Offer = Object.freeze({ orphans: Object.freeze([]) });

/** A namespaced resource adopts in its namespace; a cluster-scoped one adopts cluster-scoped objects. */
const adoptable = ({ definition }: Context, { metadata }: AnyResource): readonly KindRef[] =>
  definition.owns.filter(({ scope }) => (scope === 'Cluster') === (metadata.namespace === ''));

const orphansOf = (context: Context, { metadata }: AnyResource, { kind, labels }: Wanted): readonly Child[] =>
  cacheOf(context, kind)
    .selectUncontrolled({ namespace: metadata.namespace, labels })
    .filter((object) => isOrphan(object) && object.metadata.uid !== metadata.uid)
    .toSorted(byName)
    .map((object) => ({ kind, object: viewOf(kind, object) }));

interface Wanted {
  readonly kind: KindRef;
  readonly labels: Labels;
}

/**
 * The orphans that a resource may adopt: objects of owned kinds in its namespace that nobody controls, that are not being
 * deleted, and that carry the labels of its selector. What was looked up is remembered, so that a change wakes the resource.
 *
 * A selector that fails is told, not thrown: it is the fault of one resource.
 */
export const offeredTo = (context: Context, key: Key, resource: AnyResource): Offer => {
  const { definition, lookups } = context;
  if (definition.selector === undefined) return none;
  try {
    const labels = selectorOf(definition, resource);
    const kinds = labels === undefined ? [] : adoptable(context, resource);
    const wanted = kinds.map((kind): Wanted => ({ kind, labels: labels ?? {} }));
    const { namespace } = resource.metadata;
    const asked = wanted.map(({ kind, ...rest }) => ({ ask: 'orphans' as const, kind, namespace, ...rest }));
    lookups.remember(key, 'orphans', asked);
    return { orphans: wanted.flatMap((one) => orphansOf(context, resource, one)) };
  } catch (error) {
    lookups.remember(key, 'orphans', []);
    return { ...none, selectorError: error ?? new TypeError(`selector() threw ${String(error)}`) };
  }
};
