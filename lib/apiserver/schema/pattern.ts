import { RE2JS } from '@bufbuild/re2';

/** A compiled pattern. */
export interface Pattern {
  /** Whether the pattern matches anywhere in a text; in time proportional to its length. */
  test(text: string): boolean;
}

const compiled = new Map<string, Pattern>();

/** Patterns come from definitions, of which there are few; the bound is for tests that make many. */
const LIMIT = 1000;

/**
 * Compiles a pattern in RE2 syntax, once.
 *
 * @throws {Error} when it is no such pattern
 */
export const patternOf = (pattern: string): Pattern => {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  if (compiled.size >= LIMIT) compiled.clear();
  const made = new RE2JS(pattern);
  compiled.set(pattern, made);
  return made;
};
