import { RE2JS } from '@bufbuild/re2';
import { onceByText } from '#lib/apiserver/machinery/text/once-by-text.ts';

/** A compiled pattern. */
export interface Pattern {
  /** Whether the pattern matches anywhere in a text. The time is proportional to the length of the text. */
  test(text: string): boolean;
}

/**
 * Compiles a pattern in RE2 syntax. Compiled patterns are cached.
 *
 * @throws {Error} for an invalid pattern
 */
export const patternOf: (pattern: string) => Pattern = onceByText((pattern) => new RE2JS(pattern));
