import { fnv32a } from '#lib/apiserver/machinery/text/names.ts';
/** A source of pseudorandom numbers that depend only on a seed. */
export interface Random {
  /** Returns the next number, uniformly distributed in [0, 1). */
  readonly next: () => number;
  /** Returns the next integer in [0, bound). */
  readonly below: (bound: number) => number;
  /** Returns an independent source, whose numbers depend only on the seed and the name. */
  readonly fork: (name: string) => Random;
}

/**
 * Makes a source of pseudorandom numbers.
 *
 * @param seed - an integer; equal seeds give equal numbers
 * @see https://github.com/bryc/code/blob/master/jshash/PRNGs.md (`splitmix32`)
 */
export const randomOf = (seed: number): Random => {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    below: (bound) => Math.floor(next() * bound),
    fork: (name) => randomOf(fnv32a(`${seed} ${name}`)),
  };
};

/**
 * A source that always returns the same number, in [0, 1). A search uses such a source, because its result must not depend on
 * chance.
 */
export const constantRandom = (number: number): Random => {
  const random: Random = { next: () => number, below: (bound) => Math.floor(number * bound), fork: () => random };
  return random;
};
