import type { KubeObject } from '#lib/kind/reference.ts';
import type { CachedObject, Projection } from './projection.ts';

const wholes = new WeakMap<CachedObject, KubeObject>();

/**
 * What an object was before it was reduced, less `managedFields`.
 *
 * @param object - as it came out of a projection that {@link withWhole} made; of others nothing is known
 */
export const wholeOf = (object: CachedObject): KubeObject | undefined => {
  const whole = wholes.get(object);
  return whole && { ...whole, metadata: object.metadata };
};

/** A projection that also remembers what it was given, as long as its result lives: for checks, not for production. */
export const withWhole =
  (project: Projection): Projection =>
  (object) => {
    const projected = project(object);
    if ((projected as unknown) !== object) wholes.set(projected, object);
    return projected;
  };
