import { deepFreeze } from '#lib/desired/canonical/freeze.ts';
import { passClock } from '#lib/desired/clock.ts';
import type { AnyResource } from '#lib/desired/definition.ts';
import type { Observation, Outcomes } from '#lib/desired/observation.ts';
import { createObservation } from '#lib/desired/observe/create-observation.ts';
import { byName } from '#lib/desired/observe/scoped-name.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';
import { isUnseen, withoutUnseen } from '#lib/kind/schema/unseen-status.ts';
import { ownedFieldsOf } from '#lib/loop/cache/projection/fingerprint.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';
import { viewOf } from '#lib/loop/cache/projection/view.ts';
import { type DemandedError, demanding, suppliedOf } from '#lib/loop/cache/size/on-demand.ts';
import { type Context, cacheOf } from '#lib/loop/context/context.ts';
import type { Key } from '#lib/loop/context/key.ts';
import { disownedChildren } from '#lib/loop/pass/execute/disowned.ts';
import { immutablesSlot, pinsSlot } from '#lib/loop/pass/execute/pins.ts';
import { childrenIn } from '#lib/loop/related/children.ts';
import { type Offer, offeredTo } from '#lib/loop/related/orphans.ts';
import { passRelated } from '#lib/loop/related/pass-related.ts';
import { restoredFor } from '#lib/loop/related/restored.ts';
import type { Child } from '#lib/plan/step.ts';
import { refusedSlot } from './execute/refusal.ts';
import { awaitsFinalize } from './finalizer.ts';
import type { Snapshot } from './snapshot.ts';

const MICROS_PER_MILLI = 1000;

const childOf = (kind: KindRef, cached: CachedObject): Child => {
  const owned = ownedFieldsOf(cached);
  return { kind, object: suppliedOf(viewOf(kind, cached)), ...(owned && { owned }) };
};

/**
 * Removes the restored children from the orphans, because a restored child belongs to the resource without an adoption by the
 * function.
 */
const withoutRestored = (offer: Offer, restored: readonly Child[]): Offer => {
  if (restored.length === 0) return offer;
  const ours = new Set(restored.map(({ object }) => object));
  return { ...offer, orphans: offer.orphans.filter(({ object }) => !ours.has(object)) };
};

/** The parts of a context that are needed to take a snapshot. */
export type Observing = Pick<
  Context,
  'definition' | 'resources' | 'children' | 'related' | 'isObserved' | 'ownNamespace' | 'lookups' | 'memory' | 'now'
> & { readonly effects: Pick<Context['effects'], 'outcomes'> };

/**
 * Takes the snapshot of a pass.
 *
 * @param cached - the resource. @default the resource in the cache
 * @returns `undefined` when there is nothing to do: the resource is gone, or is being deleted and {@link awaitsFinalize} is false
 */
export const observe = (
  context: Observing,
  key: Key,
  cached: CachedObject | undefined = context.resources.get(key),
): Snapshot | undefined => {
  if (!cached) return undefined;
  if (cached.metadata.deletionTimestamp !== undefined && !awaitsFinalize(context.definition, cached)) return undefined;
  const resource = cached as unknown as AnyResource;
  const { uid } = resource.metadata;
  const { resourceVersion, finalizers = [] } = cached.metadata;
  const clock = passClock(Math.round(context.now() * MICROS_PER_MILLI));
  const place = { key, uid };
  const { definition, ownNamespace } = context;
  const disowned = disownedChildren(context, place);
  const children = definition.owns.flatMap((kind) => {
    const owned = childrenIn({ definition, kind, cache: cacheOf(context, kind), ownNamespace }, resource.metadata);
    const others = disowned.filter((child) => child.kind === kind).map(({ object }) => object);
    const all = others.length === 0 ? owned : [...owned, ...others].toSorted(byName);
    return all.map((object): Child => childOf(kind, object));
  });
  const restored = restoredFor(context, resource);
  const offer = withoutRestored(offeredTo(context, key, resource), restored);
  const related = passRelated(context, resource);
  const snapshot = { ...place, resource, resourceVersion, finalizers, children, ...offer, restored, related };
  const outcomes = context.effects.outcomes(key, uid);
  return {
    ...snapshot,
    refused: deepFreeze(refusedSlot.get(context, place)),
    outcomes,
    pins: pinsSlot.get(context, place),
    immutables: immutablesSlot.get(context, place),
    clock,
  };
};

/** A copy of a snapshot for another call of the function, without the look-ups and the requested times of the last call. */
export const afresh = (
  context: Pick<Context, 'definition' | 'related' | 'isObserved' | 'ownNamespace'>,
  seen: Snapshot,
): Snapshot => ({
  ...seen,
  related: passRelated(context, seen.resource),
  clock: passClock(seen.clock.nowMicros),
});

/** The parts of a function call that replace or extend the snapshot. */
export interface CallParts {
  readonly outcomes?: Outcomes;
  /** Called when the function of a kind reads the status of its resource; never called for an extension. */
  readonly onStatusRead?: () => void;
  /** Called when the function reads a member that the cache does not hold, see `KindRef.onDemand`. */
  readonly onDemand?: (error: DemandedError) => void;
}

/**
 * The resource without the default status that the API server returns before the operator has reported a status. The conditions
 * of other controllers stay.
 */
const reported = (resource: AnyResource): AnyResource => {
  if (!isUnseen(resource)) return resource;
  const { status: _, ...rest } = resource;
  const status = withoutUnseen({ ...resource.status });
  return Object.freeze(status === undefined ? rest : { ...rest, status: deepFreeze(status) });
};

const STATUS = Symbol('status');

interface WatchedStatus {
  readonly [STATUS]: { readonly status: unknown; readonly onStatusRead: () => void };
}

/**
 * All resources share this getter. V8 allocates each accessor property in its old generation, so a getter that is a closure would
 * keep the whole pass in memory until a full garbage collection.
 */
const readStatus = function (this: WatchedStatus): unknown {
  const { status, onStatusRead } = this[STATUS];
  onStatusRead();
  return status;
};

const watched = (resource: AnyResource, onStatusRead: () => void): AnyResource => {
  const { status, ...rest } = resource;
  Object.defineProperty(rest, STATUS, { value: { status, onStatusRead } });
  const read = { enumerable: status !== undefined, get: readStatus };
  return Object.freeze(Object.defineProperty(rest as AnyResource, 'status', read));
};

/** The function of an extension sees only the declared fields of the parent. */
const shownResource = (
  { extension }: Context['definition'],
  resource: AnyResource,
  onStatusRead: CallParts['onStatusRead'],
): AnyResource => {
  if (extension) return viewOf(extension.of, resource as unknown as CachedObject) as unknown as AnyResource;
  const whole = reported(resource);
  return onStatusRead ? watched(whole, onStatusRead) : whole;
};

/** Makes the observation that `desired` or `finalize` receives, from a snapshot. */
export const observationOfSeen = (
  { definition }: Pick<Context, 'definition'>,
  seen: Snapshot,
  { outcomes = seen.outcomes, onStatusRead, onDemand }: CallParts = {},
): Observation<AnyResource> => {
  const { children, orphans, related, refused, clock } = seen;
  const shown = ({ object }: Child): Child['object'] => (onDemand ? demanding(object, onDemand) : object);
  return createObservation({
    resource: shownResource(definition, seen.resource, onStatusRead),
    owns: definition.owns,
    children: children.map(shown),
    orphans: orphans.map(shown),
    related: related.related,
    refused,
    outcomes,
    clock: clock.clock,
  });
};
