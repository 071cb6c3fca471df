import { RE2JS } from '@bufbuild/re2';

/** A compiled pattern. */
export interface Pattern {
  /** Whether the pattern matches anywhere in a text. The time is proportional to the length of the text. */
  test(text: string): boolean;
}

const compiled = new Map<string, Pattern>();

/** Maximum number of cached patterns. Definitions have fewer patterns, but tests with many definitions can reach the limit. */
const LIMIT = 1000;

/**
 * Compiles a pattern in RE2 syntax. Compiled patterns are cached.
 *
 * @throws {Error} for an invalid pattern
 */
export const patternOf = (pattern: string): Pattern => {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  if (compiled.size >= LIMIT) compiled.clear();
  const made = new RE2JS(pattern);
  compiled.set(pattern, made);
  return made;
};
