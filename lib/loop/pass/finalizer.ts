import type { AnyKindDefinition, AnyResource } from '#lib/desired/definition.ts';
import { needsFinalizer } from '#lib/desired/rights/policy-rules.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';

/**
 * The finalizer of a kind, `<group>/cdk8s-reconcile`. The name shows users which operator delays the deletion of a resource. If
 * the kind has `finalize` or children elsewhere, the loop adds the finalizer to resources that are not being deleted. During a
 * deletion, the loop removes the finalizer when `finalize` is done, or no longer exists, and the children elsewhere are deleted.
 */
export const finalizerOf = ({ group }: Pick<AnyKindDefinition, 'group'>): string => `${group}/cdk8s-reconcile`;

/** While a resource that is being deleted has this finalizer, the garbage collector orphans its children. */
const ORPHAN = 'orphan';

/** While a resource that is being deleted has this finalizer, the garbage collector deletes its children. */
export const FOREGROUND = 'foregroundDeletion';

type WithFinalizers = Pick<CachedObject, 'metadata'>;

const has = ({ metadata }: WithFinalizers, finalizer: string): boolean =>
  metadata.finalizers?.includes(finalizer) === true;

/**
 * Whether a resource has our finalizer, and not the finalizer `orphan`. With `orphan`, the client that deleted the resource wants
 * to keep the children, so `finalize` must not run.
 */
export const awaitsFinalize = (definition: AnyKindDefinition, resource: WithFinalizers): boolean =>
  has(resource, finalizerOf(definition)) && !has(resource, ORPHAN);

/**
 * Whether the loop must add the finalizer to the resource: the kind has `finalize` or children elsewhere, and the resource lacks
 * the finalizer and is not being deleted.
 */
export const lacksFinalizer = (
  definition: AnyKindDefinition,
  seen: { readonly resource: AnyResource; readonly finalizers: readonly string[] },
): boolean => needsFinalizer(definition) && !isFinalizing(seen) && !seen.finalizers.includes(finalizerOf(definition));

/** Whether the resource is being deleted. Then `finalize`, if the kind has it, is called in place of `desired`. */
export const isFinalizing = ({ resource }: { readonly resource: AnyResource }): boolean =>
  resource.metadata.deletionTimestamp !== undefined;
