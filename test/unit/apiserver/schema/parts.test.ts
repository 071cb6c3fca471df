import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { dropNulls, setDefaults } from '#lib/apiserver/schema/defaults.ts';
import { pruneUnknown } from '#lib/apiserver/schema/prune.ts';
import { validateSchema } from '#lib/apiserver/schema/validate.ts';
import { runs } from '#test/properties.ts';

const schema: StructuralSchema = {
  type: 'object',
  properties: {
    a: { type: 'integer', default: 1 },
    b: { type: 'object', default: {}, properties: { c: { type: 'string', nullable: true, default: 'x' } } },
    l: { type: 'array', items: { type: 'object', properties: { d: { type: 'integer', default: 2 } } } },
    m: { type: 'object', additionalProperties: { type: 'string' } },
    p: { 'x-kubernetes-preserve-unknown-fields': true },
  },
};

const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, 1, 1.5, 'x'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'l', 'm', 'p', '__proto__'), tie('value'), { maxKeys: 4 }),
  ),
})).value;
const objects = fc.dictionary(fc.constantFrom('a', 'b', 'l', 'm', 'p', 'z'), json);

const freeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(freeze);
  return Object.freeze(value);
};

describe('pruning and defaulting', () => {
  it('prune() leaves nothing to prune, and changes no input', () => {
    fc.assert(
      fc.property(objects, (object) => {
        const pruned = pruneUnknown(freeze(object), schema);
        const again = pruneUnknown(pruned.object, schema);
        expect(again.object).toBe(pruned.object);
        expect(again.unknownFields).toEqual([]);
        expect(pruned.unknownFields.length === 0).toBe(pruned.object === object);
      }),
      { numRuns: runs(200) },
    );
  });

  it('setDefaults() and dropNulls() are idempotent, and change no input', () => {
    fc.assert(
      fc.property(objects, (object) => {
        const filled = setDefaults(dropNulls(freeze(object), schema), schema);
        expect(setDefaults(filled, schema)).toBe(filled);
        expect(dropNulls(filled, schema)).toEqual(filled);
      }),
      { numRuns: runs(200) },
    );
  });

  it('setDefaults() adds no value to a map', () => {
    expect(setDefaults({ m: { k: 'v' } }, schema)).toEqual({ a: 1, b: { c: 'x' }, m: { k: 'v' } });
  });
});

describe('validateSchema()', () => {
  it('judges any value without failing, and an unchanged one without errors', () => {
    fc.assert(
      fc.property(objects, (given) => {
        const { p: _, ...object } = pruneUnknown(given, schema).object;
        expect(Array.isArray(validateSchema(schema, object))).toBe(true);
        expect(validateSchema(schema, object, { old: structuredClone(object) })).toEqual([]);
      }),
      { numRuns: runs(200) },
    );
  });

  it('prepends a path to the fields but not to the messages', () => {
    expect(
      validateSchema(
        { type: 'object', properties: { n: { type: 'integer', minimum: 1 } } },
        { n: 0 },
        { at: 'status' },
      ),
    ).toEqual([
      {
        reason: 'FieldValueInvalid',
        field: 'status.n',
        message: 'Invalid value: 0: n in body should be greater than or equal to 1',
      },
    ]);
  });
});
