import { passClock } from '#lib/desired/clock.ts';
import { createObservation } from '#lib/desired/create-observation.ts';
import type { AnyResource } from '#lib/desired/definition.ts';
import { deepFreeze } from '#lib/desired/freeze.ts';
import type { Observation, Outcomes } from '#lib/desired/observation.ts';
import type { KindRef } from '#lib/kind/reference.ts';
import { ownedFieldsOf } from '#lib/loop/cache/fingerprint.ts';
import type { CachedObject } from '#lib/loop/cache/projection.ts';
import { viewOf } from '#lib/loop/cache/view.ts';
import { type Context, cacheOf, memoryOf } from '#lib/loop/context.ts';
import type { Key } from '#lib/loop/key.ts';
import { offeredTo } from '#lib/loop/related/orphans.ts';
import { passRelated } from '#lib/loop/related/pass-related.ts';
import type { Child } from '#lib/plan/step.ts';
import { awaitsFinalize } from './finalizer.ts';
import type { Seen } from './seen.ts';

const MICROS_PER_MILLI = 1000;

const childOf = (kind: KindRef, cached: CachedObject): Child => {
  const owned = ownedFieldsOf(cached);
  return { kind, object: viewOf(kind, cached), ...(owned && { owned }) };
};

/**
 * Takes the snapshot that a pass works on.
 *
 * @returns `undefined` when there is nothing to do: the resource is gone, or on its way out and without our finalizer
 *   (the garbage collector removes the children then)
 */
export const observe = (context: Context, key: Key): Seen | undefined => {
  const cached = context.resources.get(key);
  if (!cached) return undefined;
  if (cached.metadata.deletionTimestamp !== undefined && !awaitsFinalize(context.definition, cached)) return undefined;
  const resource = cached as unknown as AnyResource;
  const { namespace, uid } = resource.metadata;
  const { resourceVersion, finalizers = [] } = cached.metadata;
  const children = context.definition.owns.flatMap((kind) =>
    cacheOf(context, kind)
      .controlledBy(namespace, uid)
      .map((object): Child => childOf(kind, object)),
  );
  const clock = passClock(Math.round(context.now() * MICROS_PER_MILLI));
  const { refused, pins, immutables } = memoryOf(context, key, uid);
  const offer = offeredTo(context, key, resource);
  const related = passRelated(context, resource);
  const snapshot = { key, resource, resourceVersion, finalizers, children, ...offer, related };
  const outcomes = context.effects.outcomes(key, uid);
  return { ...snapshot, refused: deepFreeze(refused), outcomes, pins, immutables, clock };
};

/** The same snapshot, of which nothing has been asked yet. */
export const afresh = (context: Pick<Context, 'definition' | 'related'>, seen: Seen): Seen => ({
  ...seen,
  related: passRelated(context, seen.resource),
  clock: passClock(seen.clock.nowMicros),
});

/** What a call needs to know of itself, besides the snapshot. */
export interface CallParts {
  readonly outcomes?: Outcomes;
  /** Called when the function looks at the status of its resource. */
  readonly onStatusRead?: () => void;
}

/** The resource, which tells when its status is looked at. */
const telling = (resource: AnyResource, onStatusRead: () => void): AnyResource => {
  const { status, ...rest } = resource;
  const tell = {
    enumerable: status !== undefined,
    get: () => {
      onStatusRead();
      return status;
    },
  };
  return Object.freeze(Object.defineProperty(rest as AnyResource, 'status', tell));
};

/** What the kind's function is given of a snapshot. */
export const observationOfSeen = (
  { definition }: Pick<Context, 'definition'>,
  seen: Seen,
  { outcomes = seen.outcomes, onStatusRead }: CallParts = {},
): Observation<AnyResource> => {
  const { resource, children, orphans, related, refused, clock } = seen;
  return createObservation({
    resource: onStatusRead ? telling(resource, onStatusRead) : resource,
    owns: definition.owns,
    children: children.map(({ object }) => object),
    orphans: orphans.map(({ object }) => object),
    related: related.related,
    refused,
    outcomes,
    clock: clock.clock,
  });
};
