import { type PassClock, passClock } from '#lib/desired/clock.ts';
import type { AnyResource } from '#lib/desired/definition.ts';
import { deepFreeze } from '#lib/desired/freeze.ts';
import type { Observation, Refusal } from '#lib/desired/observation.ts';
import { createObservation } from '#lib/desired/observation-of.ts';
import { viewOf } from '#lib/loop/cache/view.ts';
import { type Context, cacheOf, memoryOf } from '#lib/loop/context.ts';
import type { Key } from '#lib/loop/key.ts';
import type { Child } from '#lib/plan/step.ts';

/** One resource as it was at the start of a pass. */
export interface Seen {
  readonly key: Key;
  readonly resource: AnyResource;
  /** The version that the snapshot shows; functions do not see it. */
  readonly resourceVersion: string;
  readonly children: readonly Child[];
  readonly refused: readonly Refusal[];
  readonly clock: PassClock;
}

const MICROS_PER_MILLI = 1000;

/**
 * Takes the snapshot that a pass works on.
 *
 * @returns `undefined` when there is nothing to do: the resource is gone, or on its way out (the garbage collector
 *   removes the children then)
 */
export const observe = (context: Context, key: Key): Seen | undefined => {
  const cached = context.resources.get(key);
  if (!cached || cached.metadata.deletionTimestamp !== undefined) return undefined;
  const resource = cached as unknown as AnyResource;
  const { namespace, uid } = resource.metadata;
  const { resourceVersion } = cached.metadata;
  const children = context.definition.owns.flatMap((kind) =>
    cacheOf(context, kind)
      .controlledBy(namespace, uid)
      .map((object): Child => ({ kind, object: viewOf(kind, object) })),
  );
  const clock = passClock(Math.round(context.now() * MICROS_PER_MILLI));
  const refused = deepFreeze(memoryOf(context, key, uid).refused);
  return { key, resource, resourceVersion, children, refused, clock };
};

/** What the kind's function is given of a snapshot. */
export const observationOfSeen = ({ definition }: Context, seen: Seen): Observation<AnyResource> => {
  const { resource, refused, clock } = seen;
  const children = seen.children.map(({ object }) => object);
  return createObservation({ resource, owns: definition.owns, children, refused, clock: clock.clock });
};
