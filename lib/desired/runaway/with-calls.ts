import type { AnyKindDefinition, AnyResource } from '#lib/desired/definition.ts';

/** A function of a kind. */
export type KindFunction = (given: never) => unknown;

/** The member of a definition that has a function of the kind. */
export type FunctionName = 'desired' | 'finalize' | 'selector' | 'orphanNames';

/** Makes one call of the function `called` for a resource, by `call`. */
export type MakeCall = <R>(resource: AnyResource, call: () => R, called: KindFunction, name: FunctionName) => R;

/** Returns a kind that calls its functions `desired`, `finalize`, `selector` and `orphanNames` through `make`. */
export const withCalls = (definition: AnyKindDefinition, make: MakeCall): AnyKindDefinition => {
  const { desired, finalize, selector, orphanNames } = definition;
  return {
    ...definition,
    desired: (seen) => make(seen.resource, () => desired(seen), desired, 'desired'),
    ...(finalize && { finalize: (seen) => make(seen.resource, () => finalize(seen), finalize, 'finalize') }),
    ...(selector && { selector: (resource) => make(resource, () => selector(resource), selector, 'selector') }),
    ...(orphanNames && {
      orphanNames: (resource) => make(resource, () => orphanNames(resource), orphanNames, 'orphanNames'),
    }),
  };
};
