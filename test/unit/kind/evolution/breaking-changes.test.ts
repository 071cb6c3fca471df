import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CustomResourceDefinition, compileCrd } from '#lib/kind/crd.ts';
import { breakingChanges } from '#lib/kind/evolution/breaking-changes.ts';
import { compareSchemas } from '#lib/kind/evolution/compare-schemas.ts';
import { isPlainObject, type JsonObject } from '#lib/kind/json.ts';
import { type JsonSchema, readSchema } from '#lib/kind/json-schema.ts';
import { s } from '#lib/kind/schema.ts';
import type { KindShape, VersionShape } from '#lib/kind/shape.ts';
import { checkValue } from '#lib/kind/value/check.ts';
import { between } from '#lib/kind/versions/between.ts';
import { runs } from '#test/properties.ts';
import { schemasAndValues } from '../schema-arbitrary.ts';

const text = { type: 'string' } as const;
const count = { type: 'integer' } as const;
const list = { type: 'array', items: text } as const;
const map = { type: 'object', additionalProperties: text } as const;
const rule = (expression: string) => ({ 'x-kubernetes-validations': [{ rule: expression }] });

/** A field as it was and as it is, and the rules that this breaks. */
interface Case {
  readonly when: string;
  readonly before: JsonSchema;
  readonly after: JsonSchema;
  readonly breaks?: readonly string[];
}

const cases: readonly Case[] = [
  { when: 'nothing changes', before: count, after: count },
  { when: 'words about it change', before: text, after: { ...text, description: 'other words' } },
  { when: 'it has another type', before: count, after: text, breaks: ['type-changed'] },
  {
    when: 'a percentage is allowed, too',
    before: count,
    after: { 'x-kubernetes-int-or-string': true },
    breaks: ['type-changed'],
  },
  { when: 'a lower limit is new', before: count, after: { ...count, minimum: 0 }, breaks: ['bound-tightened'] },
  { when: 'a lower limit falls', before: { ...count, minimum: 1 }, after: { ...count, minimum: 0 } },
  {
    when: 'an upper limit falls',
    before: { ...count, maximum: 9 },
    after: { ...count, maximum: 8 },
    breaks: ['bound-tightened'],
  },
  { when: 'an upper limit goes', before: { ...count, maximum: 9 }, after: count },
  {
    when: 'a limit itself is refused',
    before: { ...count, maximum: 9 },
    after: { ...count, maximum: 9, exclusiveMaximum: true },
    breaks: ['bound-tightened'],
  },
  {
    when: 'only multiples are allowed',
    before: count,
    after: { ...count, multipleOf: 2 },
    breaks: ['bound-tightened'],
  },
  { when: 'texts are cut short', before: text, after: { ...text, maxLength: 9 }, breaks: ['bound-tightened'] },
  { when: 'empty texts are refused', before: text, after: { ...text, minLength: 1 }, breaks: ['bound-tightened'] },
  { when: 'a lower limit of nothing is written out', before: text, after: { ...text, minLength: 0 } },
  { when: 'lists are cut short', before: list, after: { ...list, maxItems: 3 }, breaks: ['bound-tightened'] },
  { when: 'maps are cut short', before: map, after: { ...map, maxProperties: 3 }, breaks: ['bound-tightened'] },
  { when: 'values are listed', before: text, after: { ...text, enum: ['a'] }, breaks: ['enum-narrowed'] },
  { when: 'a value is added', before: { ...text, enum: ['a'] }, after: { ...text, enum: ['a', 'b'] } },
  {
    when: 'a value is taken away',
    before: { ...text, enum: ['a', 'b'] },
    after: { ...text, enum: ['a'] },
    breaks: ['enum-narrowed'],
  },
  { when: 'values are free from now on', before: { ...text, enum: ['a'] }, after: text },
  { when: 'null is refused', before: { ...text, nullable: true }, after: text, breaks: ['null-refused'] },
  { when: 'a pattern is new', before: text, after: { ...text, pattern: 'a' }, breaks: ['pattern-changed'] },
  { when: 'a pattern goes', before: { ...text, pattern: 'a' }, after: text },
  {
    when: 'a format is another one',
    before: { ...text, format: 'date' },
    after: { ...text, format: 'date-time' },
    breaks: ['format-changed'],
  },
  { when: 'a rule is new', before: count, after: { ...count, ...rule('self > 1') }, breaks: ['rule-added'] },
  { when: 'a rule goes', before: { ...count, ...rule('self > 1') }, after: count },
  {
    when: 'a default is another one',
    before: { ...count, default: 1 },
    after: { ...count, default: 2 },
    breaks: ['default-changed'],
  },
  { when: 'a default goes', before: { ...count, default: 1 }, after: count, breaks: ['default-changed'] },
  {
    when: 'a list becomes a set',
    before: list,
    after: { ...list, 'x-kubernetes-list-type': 'set' },
    breaks: ['merging-changed'],
  },
  {
    when: 'unknown fields are dropped',
    before: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    after: { type: 'object' },
    breaks: ['unknown-fields-dropped'],
  },
  {
    when: 'alternatives are new',
    before: count,
    after: { ...count, anyOf: [{ minimum: 1 }] },
    breaks: ['alternatives-changed'],
  },
  {
    when: 'a field is added',
    before: { type: 'object', properties: {} },
    after: { type: 'object', properties: { a: text } },
  },
  {
    when: 'a field is removed',
    before: { type: 'object', properties: { a: text } },
    after: { type: 'object', properties: {} },
    breaks: ['field-removed'],
  },
  {
    when: 'a field is required',
    before: { type: 'object', properties: { a: text } },
    after: { type: 'object', properties: { a: text }, required: ['a'] },
    breaks: ['required-added'],
  },
  {
    when: 'a required field with a default is added',
    before: { type: 'object' },
    after: { type: 'object', properties: { a: { ...text, default: '' } }, required: ['a'] },
  },
  {
    when: 'a field of a field changes',
    before: { type: 'object', properties: { a: { type: 'object', properties: { b: text } } } },
    after: { type: 'object', properties: { a: { type: 'object', properties: { b: count } } } },
    breaks: ['type-changed'],
  },
  { when: 'items change', before: list, after: { ...list, items: count }, breaks: ['type-changed'] },
  {
    when: 'values of a map change',
    before: map,
    after: { ...map, additionalProperties: count },
    breaks: ['type-changed'],
  },
  { when: 'a map is closed', before: map, after: { type: 'object' }, breaks: ['field-removed'] },
];

/** Another schema: with some keywords less, and some limits one higher. */
const altered = (schema: unknown, keep: () => boolean): unknown => {
  if (typeof schema === 'number') return keep() ? schema : schema + 1;
  if (!isPlainObject(schema)) return schema;
  const entries = Object.entries(schema).filter(([keyword]) => keyword === 'type' || keep());
  return Object.fromEntries(entries.map(([keyword, value]) => [keyword, altered(value, keep)]));
};

const shape: KindShape = {
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Note',
  spec: s.object({ text: s.string({ maxLength: 9 }), size: s.int32({ default: 1 }) }),
  status: s.object({ length: s.int32() }),
  scale: { spec: '.spec.size', status: '.status.length' },
};

const withVersion = (crd: CustomResourceDefinition, change: object): CustomResourceDefinition => ({
  ...crd,
  spec: { ...crd.spec, versions: crd.spec.versions.map((version) => ({ ...version, ...change })) },
});

const rulesOf = (before: CustomResourceDefinition, after: CustomResourceDefinition): string[] =>
  breakingChanges(before, after).map(({ rule }) => rule);

const withStored = (crd: CustomResourceDefinition, storedVersions: readonly string[]) => ({
  ...crd,
  status: { storedVersions },
});

describe('compareSchemas()', () => {
  it.each(cases)('compareSchemas() finds $breaks when $when', ({ before, after, breaks = [] }) => {
    const found = [...compareSchemas({ path: 'spec', before, after })];
    expect(found.map((change) => change.rule)).toEqual(breaks);
    for (const { message, fix } of found) expect([message, fix].every((words) => words.length > 5)).toBe(true);
  });

  it('compareSchemas() names fields, items and entries', () => {
    const before = readSchema({ type: 'object', properties: { a: { type: 'array', items: map } } });
    const after = readSchema({
      type: 'object',
      properties: { a: { type: 'array', items: { ...map, additionalProperties: count } } },
    });
    expect([...compareSchemas({ path: 'spec', before, after })].map(({ path }) => path)).toEqual(['spec.a[].*']);
  });

  it('compareSchemas() finds nothing only when whatever was accepted still is', () => {
    const tally = { compatible: 0, accepted: 0 };
    const bits = fc.array(fc.boolean(), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(schemasAndValues, bits, ({ schema, value }, choices) => {
        let turn = 0;
        const keep = (): boolean => choices[turn++ % choices.length] ?? true;
        const before = readSchema(schema);
        const after = readSchema(altered(schema, keep) as JsonObject);
        if ([...compareSchemas({ path: '', before, after })].length > 0) return;
        tally.compatible += 1;
        if (checkValue(before, value).length > 0) return;
        tally.accepted += 1;
        expect(checkValue(after, value)).toEqual([]);
      }),
      { numRuns: runs(3000) },
    );
    // Both have to happen, or nothing was tried.
    expect(Math.min(tally.compatible, tally.accepted)).toBeGreaterThan(200);
  });
});

describe('breakingChanges()', () => {
  const crd = compileCrd(shape);

  it('breakingChanges() finds nothing when a definition is released again', () => {
    expect(breakingChanges(crd, compileCrd(shape))).toEqual([]);
  });

  it.each([
    { when: 'the scope changes', after: compileCrd({ ...shape, scope: 'Cluster' }), breaks: 'scope-changed' },
    { when: 'a version is replaced', after: compileCrd({ ...shape, version: 'v2' }), breaks: 'version-removed' },
    { when: 'a version is not served', after: withVersion(crd, { served: false }), breaks: 'version-removed' },
    { when: 'scale goes', after: withVersion(crd, { subresources: { status: {} } }), breaks: 'scale-changed' },
    {
      when: 'the kind has another name',
      after: compileCrd({ ...shape, kind: 'Memo', plural: 'notes' }),
      breaks: 'kind-renamed',
    },
    {
      when: 'a field of status goes',
      after: compileCrd({ ...shape, status: s.object({}), scale: undefined as never }),
      breaks: 'scale-changed',
    },
  ])('breakingChanges() finds $breaks when $when', ({ after, breaks }) => {
    expect(breakingChanges(crd, after).map((change) => change.rule)).toContain(breaks);
  });

  describe('of stored versions', () => {
    const v1 = { version: 'v1', spec: shape.spec, status: shape.status } satisfies VersionShape;
    const v2 = { ...v1, version: 'v2' };
    const { group, kind } = shape;
    const both = (stored: VersionShape): CustomResourceDefinition =>
      compileCrd({ group, kind, ...stored, versions: [between({ ...v1, served: stored === v1 }, v2)] });
    const only = compileCrd({ group, kind, ...v2 });

    it('breakingChanges() finds stored-version-removed when the version that objects are stored in goes', () => {
      const [change] = breakingChanges(compileCrd({ group, kind, ...v1 }), only);
      expect(change).toMatchObject({ rule: 'stored-version-removed' });
      expect(change?.fix).toContain('keep v1 in versions for a release');
    });

    it('breakingChanges() finds nothing when another version becomes the stored one, and later the hidden one goes', () => {
      expect(rulesOf(both(v1), both(v2))).toEqual(['version-removed']);
      expect(rulesOf(both(v2), only)).toEqual([]);
    });

    it('breakingChanges() believes a definition from a cluster about what is still stored', () => {
      expect(rulesOf(withStored(both(v2), ['v1', 'v2']), only)).toEqual(['stored-version-removed']);
      expect(rulesOf(withStored(both(v2), ['v2']), only)).toEqual([]);
    });
  });
});
