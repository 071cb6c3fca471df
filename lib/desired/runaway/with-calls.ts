import type { AnyKindDefinition, AnyResource } from '#lib/desired/definition.ts';

/** A function of a kind. */
export type KindFunction = (given: never) => unknown;

/** Makes one call of the function `called` for a resource, by `call`. */
export type MakeCall = <R>(resource: AnyResource, call: () => R, called: KindFunction) => R;

/** Returns a kind that calls its functions `desired`, `finalize`, `selector` and `orphanNames` through `make`. */
export const withCalls = (definition: AnyKindDefinition, make: MakeCall): AnyKindDefinition => {
  const { desired, finalize, selector, orphanNames } = definition;
  return {
    ...definition,
    desired: (seen) => make(seen.resource, () => desired(seen), desired),
    ...(finalize && { finalize: (seen) => make(seen.resource, () => finalize(seen), finalize) }),
    ...(selector && { selector: (resource) => make(resource, () => selector(resource), selector) }),
    ...(orphanNames && { orphanNames: (resource) => make(resource, () => orphanNames(resource), orphanNames) }),
  };
};
