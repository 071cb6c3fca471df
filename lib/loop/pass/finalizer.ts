import type { AnyKindDefinition, AnyResource } from '#lib/desired/definition.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';

/**
 * The finalizer of a kind, `<group>/cdk8s-reconcile`: on a resource that does not go away, it names the operator that holds it.
 * The loop adds it to resources of a kind that has `finalize`, and removes it when `finalize` is done.
 */
export const finalizerOf = ({ group }: Pick<AnyKindDefinition, 'group'>): string => `${group}/cdk8s-reconcile`;

/** While it exists the garbage collector releases the children. */
const ORPHAN = 'orphan';

/** While it exists the garbage collector deletes the children. */
export const FOREGROUND = 'foregroundDeletion';

type WithFinalizers = Pick<CachedObject, 'metadata'>;

const has = ({ metadata }: WithFinalizers, finalizer: string): boolean =>
  metadata.finalizers?.includes(finalizer) === true;

/**
 * Whether a resource that is being deleted still has our finalizer to run. False while the garbage collector orphans its
 * children: the deletion requested that.
 */
export const awaitsFinalize = (definition: AnyKindDefinition, resource: WithFinalizers): boolean =>
  has(resource, finalizerOf(definition)) && !has(resource, ORPHAN);

/** True when the finalizer has to be put on a resource before anything else is done. */
export const lacksFinalizer = (
  definition: AnyKindDefinition,
  seen: { readonly resource: AnyResource; readonly finalizers: readonly string[] },
): boolean =>
  definition.finalize !== undefined && !isFinalizing(seen) && !seen.finalizers.includes(finalizerOf(definition));

/** Whether the resource is being deleted, so that `finalize` is called in place of `desired`. */
export const isFinalizing = ({ resource }: { readonly resource: AnyResource }): boolean =>
  resource.metadata.deletionTimestamp !== undefined;
