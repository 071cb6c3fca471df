import { RE2JS } from '@bufbuild/re2';

/** A compiled pattern. */
export interface Pattern {
  /** Whether the pattern matches anywhere in a text; takes time proportional to the length. */
  test(text: string): boolean;
}

const compiled = new Map<string, Pattern>();

/** Maximum number of cached patterns. Definitions have few; the limit matters to tests with many. */
const LIMIT = 1000;

/**
 * Compiles a pattern in RE2 syntax; cached.
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
