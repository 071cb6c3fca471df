import * as fc from 'fast-check';
import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { readSchema } from '#lib/kind/json-schema/json-schema.ts';
import { checkValue } from '#lib/kind/value/check.ts';
import { runs } from '#test/properties.ts';
import { schemasAndValues } from './schema-arbitrary.ts';

/**
 * Differences of TypeBox: it accepts unknown fields, and ignores list types. The schemas below omit nullable, exclusive
 * bounds in the form of OpenAPI, and formats, because TypeBox interprets them differently; and whole numbers beyond 64
 * bits, which only TypeBox accepts as integers.
 */
const OURS = new Set(['unknown-field', 'duplicate']);

describe('checkValue()', () => {
  it("checkValue() accepts what TypeBox's own checker accepts, and nothing else", () => {
    const numRuns = runs(3000);
    const verdicts = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(schemasAndValues, ({ schema, value }) => {
        const issues = checkValue(readSchema(schema), value).filter(({ rule }) => !OURS.has(rule ?? ''));
        const accepted = issues.length === 0;
        verdicts[accepted ? 'accepted' : 'refused'] += 1;
        expect({ accepted, issues }).toEqual({ accepted: Value.Check(schema, value), issues });
      }),
      { numRuns },
    );
    // Both results must be frequent: otherwise the agreement would show little.
    expect(Math.min(verdicts.accepted, verdicts.refused)).toBeGreaterThan(numRuns / 10);
  });
});
