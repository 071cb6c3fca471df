import * as fc from 'fast-check';
import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { readSchema } from '#lib/kind/json-schema/json-schema.ts';
import { checkValue } from '#lib/kind/value/check.ts';
import { runs } from '#test/properties.ts';
import { schemasAndValues } from './schema-arbitrary.ts';

/**
 * What TypeBox does not know: it accepts unknown fields, and list types mean nothing to it. Nullable, exclusive bounds
 * in the form of OpenAPI and formats are left out of the schemas below, because it reads them differently; so are whole
 * numbers beyond 64 bits, which are integers to it alone.
 */
const OURS = new Set(['unknown-field', 'duplicate']);

describe('checkValue()', () => {
  it("checkValue() accepts what TypeBox's own checker accepts, and nothing else", () => {
    const verdicts = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(schemasAndValues, ({ schema, value }) => {
        const issues = checkValue(readSchema(schema), value).filter(({ rule }) => !OURS.has(rule ?? ''));
        const accepted = issues.length === 0;
        verdicts[accepted ? 'accepted' : 'refused'] += 1;
        expect({ accepted, issues }).toEqual({ accepted: Value.Check(schema, value), issues });
      }),
      { numRuns: runs(3000) },
    );
    // Neither side may be so rare that agreement means nothing.
    expect(Math.min(verdicts.accepted, verdicts.refused)).toBeGreaterThan(300);
  });
});
