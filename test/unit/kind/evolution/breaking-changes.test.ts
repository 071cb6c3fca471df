import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { type CustomResourceDefinition, compileCrd } from '#lib/kind/crd.ts';
import { breakingChanges } from '#lib/kind/evolution/breaking-changes.ts';
import { compareSchemas } from '#lib/kind/evolution/compare-schemas.ts';
import { readSchema } from '#lib/kind/json-schema/json-schema.ts';
import { s } from '#lib/kind/schema/schema.ts';
import type { KindShape, VersionShape } from '#lib/kind/shape.ts';
import { checkValue } from '#lib/kind/value/check.ts';
import { between } from '#lib/kind/versions/between.ts';
import { runs } from '#test/properties.ts';
import { schemasAndValues } from '../schema-arbitrary.ts';
import { CHANGE_CASES, count, map } from './change-cases.ts';

/** Alters a schema: removes some keywords, and raises some limits by one. */
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
  it.each(CHANGE_CASES)('compareSchemas() finds $breaks when $when', ({ before, after, breaks = [] }) => {
    const found = [...compareSchemas({ path: 'spec', before, after })];
    expect(found.map((change) => change.rule)).toEqual(breaks);
    for (const { message, fix } of found) expect([message, fix].every((words) => words.length > 5)).toBe(true);
  });

  it('breakingChanges() finds nothing when the definition gets or loses the default of the whole status', () => {
    const after = compileCrd(shape);
    const before = JSON.parse(
      JSON.stringify(after, (_, value: unknown) => {
        if (!isPlainObject(value) || !isPlainObject(value['default'])) return value;
        const { default: _default, ...rest } = value;
        return rest;
      }),
    ) as CustomResourceDefinition;
    expect(JSON.stringify(before)).not.toContain('WaitingForOperator');
    expect(rulesOf(before, after)).toEqual([]);
    expect(rulesOf(after, before)).toEqual([]);
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
    const numRuns = runs(3000);
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
      { numRuns },
    );
    // Both results must be frequent: otherwise the test would show little.
    expect(Math.min(tally.compatible, tally.accepted)).toBeGreaterThan(numRuns / 15);
  });
});

describe('breakingChanges()', () => {
  const crd = compileCrd(shape);

  it('breakingChanges() finds nothing when a definition is released again', () => {
    expect(breakingChanges(crd, compileCrd(shape))).toEqual([]);
  });

  it('breakingChanges() finds nothing when a definition gets its first subresources', () => {
    expect(breakingChanges(withVersion(crd, { subresources: undefined }), crd)).toEqual([]);
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

    const service = { name: 'operator', namespace: 'operator', port: 443 };
    const up = { up: (content: object) => content as never, down: (content: object) => content as never };
    const converted = (stored: VersionShape): CustomResourceDefinition =>
      compileCrd({ group, kind, ...stored, versions: [between(v1, v2, up)] }, { conversion: service });

    it('breakingChanges() finds stored-too-early when a new version with functions is stored in its first release', () => {
      const [change, ...others] = breakingChanges(compileCrd({ group, kind, ...v1 }), converted(v2));
      expect(change).toMatchObject({ rule: 'stored-too-early', fix: expect.stringContaining('keep v1') as unknown });
      expect(others).toEqual([]);
    });

    it('breakingChanges() finds nothing when a new version with functions is served first, and stored a release later', () => {
      expect(rulesOf(compileCrd({ group, kind, ...v1 }), converted(v1))).toEqual([]);
      expect(rulesOf(converted(v1), converted(v2))).toEqual([]);
    });

    it('breakingChanges() finds nothing when a new version without functions is stored at once', () => {
      const served = compileCrd({ group, kind, ...v2, versions: [between(v1, v2)] });
      expect(rulesOf(compileCrd({ group, kind, ...v1 }), served)).toEqual([]);
    });

    it('breakingChanges() believes a definition from a cluster about what is still stored', () => {
      expect(rulesOf(withStored(both(v2), ['v1', 'v2']), only)).toEqual(['stored-version-removed']);
      expect(rulesOf(withStored(both(v2), ['v2']), only)).toEqual([]);
    });
  });
});
