import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import type { Sources } from '#lib/loop/source/sources.ts';

/**
 * Makes the function `Context.isInDoubt` of a loop. A watch of objects elsewhere may be refused for ever, so these watches do not
 * count: outdated children elsewhere do no harm, see `Gate`, and `isObserved` covers look-ups.
 */
export const doubtOf = (definition: AnyKindDefinition, sources: Sources): ((namespace: string) => boolean) => {
  const needed = [refOf(definition), ...definition.owns, ...(definition.reads ?? [])]
    .filter(({ elsewhere }) => elsewhere === undefined)
    .map((kind) => sources.of(kind));
  return (namespace) => needed.some((source) => source.isDoubted(namespace || undefined));
};

/** Makes the function `Context.isObserved` of a loop. */
export const observedBy =
  (sources: Sources) =>
  (kind: KindRef, namespace: string | undefined): boolean => {
    const source = sources.ofRead(kind);
    // Without rights, the cache is empty, or keeps objects that may be gone by now.
    const isRefused = source.problems.some(
      (problem) =>
        problem.trouble?.cause === 'refused' &&
        (namespace === undefined || problem.namespace === undefined || problem.namespace === namespace),
    );
    return source.isFilled(namespace) && !isRefused && !source.isDoubted(namespace);
  };
