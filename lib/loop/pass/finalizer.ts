import type { AnyKindDefinition, AnyResource } from '#lib/desired/definition.ts';
import { needsFinalizer } from '#lib/desired/rights/policy-rules.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';

/**
 * The finalizer of a kind, `<group>/cdk8s-reconcile`. The name shows users which operator delays the deletion of a resource. The
 * loop adds the finalizer to resources of a kind that has `finalize` or children elsewhere, and removes it when `finalize` is done
 * and these children are deleted.
 */
export const finalizerOf = ({ group }: Pick<AnyKindDefinition, 'group'>): string => `${group}/cdk8s-reconcile`;

/** While a resource has this finalizer, the garbage collector orphans the children. */
const ORPHAN = 'orphan';

/** While a resource has this finalizer, the garbage collector deletes the children. */
export const FOREGROUND = 'foregroundDeletion';

type WithFinalizers = Pick<CachedObject, 'metadata'>;

const has = ({ metadata }: WithFinalizers, finalizer: string): boolean =>
  metadata.finalizers?.includes(finalizer) === true;

/**
 * Whether a resource still has our finalizer, so that `finalize` must run. False while the garbage collector orphans the
 * children, because the client that deleted the resource wants to keep the children.
 */
export const awaitsFinalize = (definition: AnyKindDefinition, resource: WithFinalizers): boolean =>
  has(resource, finalizerOf(definition)) && !has(resource, ORPHAN);

/**
 * Whether the loop must add the finalizer to the resource: the kind has `finalize` or children elsewhere, and the resource is not
 * being deleted.
 */
export const lacksFinalizer = (
  definition: AnyKindDefinition,
  seen: { readonly resource: AnyResource; readonly finalizers: readonly string[] },
): boolean => needsFinalizer(definition) && !isFinalizing(seen) && !seen.finalizers.includes(finalizerOf(definition));

/** Whether the resource is being deleted, so that `finalize` is called in place of `desired`. */
export const isFinalizing = ({ resource }: { readonly resource: AnyResource }): boolean =>
  resource.metadata.deletionTimestamp !== undefined;
