import type { AnyKindDefinition, AnyResource } from '#lib/desired/definition.ts';
import { CALL_LIMIT_MS } from './hung.ts';
import { runLimited } from './run-limited.ts';

/** Makes one call of a function of a kind, for a resource. */
export type MakeCall = <R>(resource: AnyResource, call: () => R) => R;

/** A kind of which every call goes through a function. */
export const withCalls = (definition: AnyKindDefinition, make: MakeCall): AnyKindDefinition => {
  const { desired, finalize, selector, orphanNames } = definition;
  return {
    ...definition,
    desired: (seen) => make(seen.resource, () => desired(seen)),
    ...(finalize && { finalize: (seen) => make(seen.resource, () => finalize(seen)) }),
    ...(selector && { selector: (resource) => make(resource, () => selector(resource)) }),
    ...(orphanNames && { orphanNames: (resource) => make(resource, () => orphanNames(resource)) }),
  };
};

/**
 * A kind whose functions are interrupted when they do not return within a second, where no other thread watches over them.
 * Costs some 120 µs for each call.
 *
 * @returns a kind whose functions throw a `ReconcileError` of code `DesiredHung` then
 */
export const limitedKind = (definition: AnyKindDefinition): AnyKindDefinition =>
  withCalls(definition, (_resource, call) => runLimited(call, CALL_LIMIT_MS));
