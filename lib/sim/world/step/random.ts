import { fnv32a } from '#lib/apiserver/machinery/text/names.ts';
/** A source of numbers that only its seed decides. */
export interface Random {
  /** Uniform in [0, 1). */
  readonly next: () => number;
  /** An integer in [0, bound). */
  readonly below: (bound: number) => number;
  /** A source of its own, which this one does not influence any more. */
  readonly fork: (name: string) => Random;
}

/**
 * Makes a source of randomness.
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

/** A source that always gives the same number, of [0, 1): for searches, in which chance plays no part. */
export const constantRandom = (number: number): Random => {
  const random: Random = { next: () => number, below: (bound) => Math.floor(number * bound), fork: () => random };
  return random;
};
