import { type PassClock, passClock } from '#lib/desired/clock.ts';
import type { AnyResource } from '#lib/desired/definition.ts';
import { deepFreeze } from '#lib/desired/freeze.ts';
import type { Children, Observation, Refusal } from '#lib/desired/observation.ts';
import { UnsupportedError } from '#lib/errors.ts';
import type { KindRef, KubeObject } from '#lib/kind/reference.ts';
import type { Child } from '#lib/plan/step.ts';
import { type Context, cacheOf } from './context.ts';
import type { Key } from './key.ts';

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
  const { definition, resources, now, memory } = context;
  const cached = resources.get(key);
  if (!cached || cached.metadata.deletionTimestamp !== undefined) return undefined;
  const resource = cached as unknown as AnyResource;
  const { resourceVersion } = cached.metadata;
  const children = definition.owns.flatMap((kind) =>
    cacheOf(context, kind)
      .controlledBy(resource.metadata.uid)
      .map((object): Child => ({ kind, object })),
  );
  const clock = passClock(Math.round(now() * MICROS_PER_MILLI));
  return { key, resource, resourceVersion, children, refused: deepFreeze(memory.get(key)?.refused ?? []), clock };
};

const none: Children = Object.freeze({ of: () => Object.freeze([]) });

const unsupported = (what: string) => (): never => {
  throw new UnsupportedError(`${what} is not supported by this version of the loop`);
};

/** What a desired-state function is given. Nothing in it can be changed. */
export const observationOf = (
  { definition }: Context,
  { resource, children, refused, clock }: Seen,
): Observation<AnyResource> => {
  const ofKind = <O extends KubeObject>(wanted: KindRef<O>): readonly Readonly<O>[] => {
    const owned = definition.owns.find((kind) => kind.kind === wanted.kind && kind.apiVersion === wanted.apiVersion);
    if (!owned)
      throw new TypeError(`children.of(${wanted.kind}): "${definition.kind}" does not own that kind; add it to owns`);
    const objects = children.filter((child) => child.kind === owned).map((child) => child.object as Readonly<O>);
    return Object.freeze(objects);
  };
  return Object.freeze({
    resource,
    children: Object.freeze({ of: ofKind }),
    orphans: none,
    related: Object.freeze({ get: unsupported('related.get()'), list: unsupported('related.list()') }),
    refused,
    outcomes: Object.freeze({ http: unsupported('outcomes.http()'), dryRun: unsupported('outcomes.dryRun()') }),
    clock: clock.clock,
  });
};
