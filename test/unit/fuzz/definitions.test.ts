import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convertObject } from '#lib/conversion/convert.ts';
import { assertRoundTrip, versionedObjects } from '#lib/conversion/testing/round-trip.ts';
import { webhookTools } from '#lib/conversion/tools.ts';
import { answerText } from '#lib/conversion/webhook/answer.ts';
import { InvalidDefinitionError } from '#lib/errors.ts';
import { isPlainObject, type Json } from '#lib/json.ts';
import { type CustomResourceDefinition, compileCrd } from '#lib/kind/crd.ts';
import { breakingChanges } from '#lib/kind/evolution/breaking-changes.ts';
import { s } from '#lib/kind/schema/schema.ts';
import type { KindShape } from '#lib/kind/shape.ts';
import { runs } from '#test/properties.ts';
import { randomShapes } from '#test/unit/kind/random/kinds.ts';
import { damagedTexts } from './damaged-text.ts';
import { mutated } from './mutated-json.ts';
import { oddTexts } from './odd-json.ts';
import { randomVersions } from './random-versions.ts';

const crdOf = (shape: KindShape): CustomResourceDefinition | undefined => {
  try {
    return compileCrd(shape);
  } catch (error) {
    if (!(error instanceof InvalidDefinitionError)) throw error;
    const { issues } = error;
    expect(issues.length).toBeGreaterThan(0);
    for (const { message } of issues) expect(message).toMatch(/^.{5,}/s);
    return undefined;
  }
};

const schema: Json = {
  type: 'object',
  required: ['a'],
  properties: {
    a: { type: 'string', maxLength: 5, pattern: '^a*$', default: 'a', enum: ['a', 'aa'] },
    b: {
      type: 'array',
      maxItems: 3,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', required: ['k'], properties: { k: { type: 'string', maxLength: 9 } } },
    },
    c: { 'x-kubernetes-int-or-string': true, 'x-kubernetes-validations': [{ rule: 'self != 1', message: 'no' }] },
  },
};

/** Members of a shape that have the right types and odd values. */
const oddMembers = fc.record(
  {
    group: oddTexts,
    version: oddTexts,
    kind: oddTexts,
    plural: oddTexts,
    description: oddTexts,
    shortNames: fc.array(oddTexts, { maxLength: 2 }),
    name: fc.record({ maxLength: fc.integer({ min: -1, max: 300 }), isLabel: fc.boolean() }),
    scale: fc.record({ spec: oddTexts, status: oddTexts }),
    columns: fc.array(
      fc.record({ name: oddTexts, type: fc.constantFrom('string', 'date', 'text'), jsonPath: oddTexts }),
    ),
    validations: fc.array(fc.record({ rule: oddTexts, message: oddTexts })),
    deprecated: fc.oneof(fc.boolean(), oddTexts),
  },
  { requiredKeys: [] },
);

/** Random shapes with odd members, and with a schema that is odd at some places. */
const oddShapes = fc
  .tuple(randomShapes, fc.oneof(fc.constant({}), oddMembers), mutated(schema))
  .map(([shape, members, odd]) => ({
    ...shape,
    ...members,
    spec: s.object({ field: s.unsafe<unknown>(isPlainObject(odd) ? odd : {}) }),
  }));

describe('definitions', () => {
  it('compileCrd() gives a CRD or issues for any definition', () => {
    const tally = { compiled: 0, refused: 0 };
    fc.assert(
      fc.property(fc.oneof(randomShapes, oddShapes), (shape) => {
        tally[crdOf(shape as KindShape) === undefined ? 'refused' : 'compiled'] += 1;
      }),
      { numRuns: runs(150) },
    );
    expect(Math.min(tally.compiled, tally.refused)).toBeGreaterThan(10);
  });

  it('breakingChanges() names what breaks, and how to keep it, between any two definitions of a kind', () => {
    let found = 0;
    fc.assert(
      fc.property(randomShapes, randomShapes, (before, after) => {
        const { group, kind, version, name } = before;
        const [old, next] = [crdOf(before), crdOf({ ...after, group, kind, version, ...(name && { name }) })];
        if (old === undefined || next === undefined) return;
        expect(breakingChanges(old, old)).toEqual([]);
        for (const { path, message, fix, rule } of breakingChanges(old, next)) {
          found += 1;
          expect({ path, message, fix, rule }).toEqual({
            path,
            message: expect.stringMatching(/^.{5,}/s) as string,
            fix: expect.stringMatching(/^.{5,}/s) as string,
            rule: expect.stringMatching(/^[a-z-]+$/) as string,
          });
        }
      }),
      { numRuns: runs(40) },
    );
    expect(found).toBeGreaterThan(20);
  });

  it('objects of random kinds come back unchanged from each of their versions', () => {
    const cases = randomVersions.chain((shape) => fc.tuple(fc.constant(shape), versionedObjects(fc, shape)));
    fc.assert(
      fc.property(cases, ([shape, object]) => {
        expect(() => assertRoundTrip(shape, object)).not.toThrow();
      }),
      { numRuns: runs(60) },
    );
  });

  it('the conversion webhook answers any review with objects, or with a reason', () => {
    const cases = randomVersions.chain((shape) =>
      versionedObjects(fc, shape).chain((object) => {
        const apiVersion = `${shape.group}/${shape.versions?.[0]?.older.version}`;
        const older = convertObject(shape, object, { apiVersion });
        const request = { uid: '1', desiredAPIVersion: `${shape.group}/${shape.version}`, objects: [older] };
        const review = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', request };
        const valid = JSON.stringify(review);
        const texts = mutated(JSON.parse(valid) as Json).map((value) => JSON.stringify(value));
        return fc.tuple(fc.constant(shape), fc.oneof(texts, texts, damagedTexts(valid)));
      }),
    );
    const tally: Record<number, number> = {};
    fc.assert(
      fc.property(cases, ([shape, text]) => {
        const { status, body, problem = '' } = answerText([shape], text, webhookTools);
        tally[status] = (tally[status] ?? 0) + 1;
        expect({ status, body }).not.toMatchObject({ status: 500 });
        expect(`${body} ${problem}`).not.toMatch(/TypeError|RangeError|Cannot read prop|is not a function/);
      }),
      { numRuns: runs(100) },
    );
    expect(Math.min(tally[200] ?? 0, tally[400] ?? 0)).toBeGreaterThan(5);
  });
});
