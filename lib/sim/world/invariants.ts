import type { ClusterView, Invariant } from './scenario.ts';

/**
 * What is wrong, of the first invariant that does not hold: `<name>: <problem>`.
 *
 * @throws {Error} when one of them throws; the message names it
 */
export const firstViolation = (invariants: readonly Invariant[], view: ClusterView): string | undefined => {
  let first: string | undefined;
  for (const invariant of invariants) {
    const problem = problemOf(invariant, view);
    if (problem !== undefined) first ??= `${invariant.name}: ${problem}`;
  }
  return first;
};

const problemOf = (invariant: Invariant, view: ClusterView): string | undefined => {
  try {
    return invariant.check(view);
  } catch (cause) {
    throw new Error(`invariant "${invariant.name}" threw: ${(cause as Error).message}`, { cause });
  }
};
