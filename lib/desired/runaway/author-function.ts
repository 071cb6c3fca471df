import type { KindFunction } from './with-calls.ts';

const authors = new WeakMap<KindFunction, KindFunction>();

/**
 * Records that a function of a definition calls a function that an author wrote. Errors then name the source position of the
 * author's function.
 *
 * @returns the outer function
 */
export const callsAuthor = <F extends KindFunction>(outer: F, author: KindFunction): F => {
  authors.set(outer, author);
  return outer;
};

/** The author's function that was recorded for a function of a definition; otherwise the function itself. */
export const authorFunctionOf = (called: KindFunction): KindFunction => authors.get(called) ?? called;
