import type { Guard } from '#lib/sim/world/guard/guard.ts';
import { errorInWords } from '#lib/sim/world/step/wording.ts';
import type { ClusterView, Invariant } from './scenario.ts';

interface Look {
  readonly view: ClusterView;
  readonly guard: Guard;
}

/**
 * Returns the problem of the first invariant that does not hold: `<name>: <problem>`. The function evaluates the other
 * invariants as well, because an invariant may have a memory.
 *
 * @throws {Error} with the name of the invariant, when an invariant throws, or returns a value that is neither a string nor
 *   undefined
 */
export const firstViolation = (invariants: readonly Invariant[], look: Look): string | undefined => {
  let first: string | undefined;
  for (const invariant of invariants) {
    const problem = problemOf(invariant, look);
    if (problem !== undefined) first ??= `${invariant.name}: ${problem}`;
  }
  return first;
};

const problemOf = (invariant: Invariant, { view, guard }: Look): string | undefined => {
  const what = `invariant "${invariant.name}"`;
  let problem: unknown;
  try {
    problem = guard.call(what, () => invariant.check(view));
  } catch (cause) {
    throw new Error(`${what} threw: ${errorInWords(cause)}`, { cause });
  }
  if (problem === undefined || typeof problem === 'string') return problem;
  throw new Error(`${what} gave a ${typeof problem}; it must return a text that describes the violation, or undefined`);
};
