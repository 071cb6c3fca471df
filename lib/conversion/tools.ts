import { patternOf } from '#lib/cel/pattern.ts';
import { validateRules } from '#lib/cel/validate-rules.ts';
import { kindSchemaOf } from '#lib/kind/schema/root-schema.ts';
import type { PatternMatcher } from '#lib/kind/value/scalar.ts';
import type { ConversionTools } from './convert.ts';

/** Matches a text with a pattern in time proportional to the length of the text, as the API server does. */
const matchesInRe2: PatternMatcher = (pattern, text) => {
  try {
    return patternOf(pattern).test(text);
  } catch {
    // A pattern that cannot be compiled is reported as an error of the definition.
    return true;
  }
};

/** The prefix of a message of the API server. Problems in annotations omit the prefix. */
const PREFIX = /^(?:Invalid value|Forbidden|Required value): (?:"object": )?/;

/**
 * Returns a message for each CEL rule that an object violates. Rules with functions that this library lacks are not evaluated.
 */
const brokenRules: NonNullable<ConversionTools['brokenRules']> = (shape, object) => {
  const errors = validateRules(kindSchemaOf(shape), object, { ignoresMissing: true });
  return errors === 'skipped' ? [] : errors.map(({ field, message }) => `${field}: ${message.replace(PREFIX, '')}`);
};

/**
 * The tools of a conversion webhook: matches patterns as the API server does, and evaluates CEL rules.
 *
 * Caveats: CEL rules that use `oldSelf` without `optionalOldSelf` are not evaluated, because a conversion gets only one object.
 * This file loads the CEL compiler (some 10 MiB), so only processes that convert objects import it.
 */
export const webhookTools: Pick<ConversionTools, 'matches' | 'brokenRules'> = { matches: matchesInRe2, brokenRules };
