import { describe, expect, it } from 'vitest';
import { InvalidDefinitionError } from '#lib/errors.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import { s } from '#lib/kind/schema.ts';
import type { KindShape, VersionShape } from '#lib/kind/shape.ts';
import { between } from '#lib/kind/versions/between.ts';
import { VERSIONS_RULES } from '#lib/kind/versions/rules.ts';
import { greeting } from '#test/examples/greeting.ts';

const identity = { group: 'demo.example.com', kind: 'Note' } as const;
const status = s.object({ length: s.int32() });
const text = s.string({ maxLength: 9 });

const version = (name: string, spec: VersionShape['spec'], more: object = {}): VersionShape => ({
  version: name,
  spec,
  status,
  ...more,
});

const v1alpha1 = version('v1alpha1', s.object({ text, color: s.optional(s.enum(['Red'])) }));
const v1beta1 = version('v1beta1', s.object({ text, color: s.optional(s.enum(['Red', 'Blue'])) }));
const v1 = version('v1', s.object({ text, color: s.optional(s.enum(['Red', 'Blue'])) }));
const larger = version(
  'v1',
  s.object({ text, color: s.optional(s.enum(['Red', 'Blue'])), size: s.optional(s.int32()) }),
);
const keep = { up: (content: never) => content, down: (content: never) => content };

const issuesOf = (shape: KindShape): string[] => {
  try {
    compileCrd(shape);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidDefinitionError)) throw error;
    return error.issues.map(({ rule, path }) => `${rule} at ${path}`);
  }
};

interface Case {
  readonly when: string;
  readonly shape: KindShape;
  readonly found: readonly string[];
}

const cases: readonly Case[] = [
  {
    when: 'all versions have the same fields',
    shape: { ...identity, ...v1, versions: [between(v1alpha1, v1beta1), between(v1beta1, v1)] },
    found: [],
  },
  {
    when: 'it is stored in the oldest version',
    shape: { ...identity, ...v1alpha1, versions: [between(v1alpha1, v1beta1)] },
    found: [],
  },
  {
    when: 'only the newer version has a field',
    shape: { ...identity, ...larger, versions: [between(v1beta1, larger)] },
    found: ['version-conversion at versions[0] spec.size'],
  },
  {
    when: 'only the older version has a field',
    shape: { ...identity, ...larger, versions: [between(larger, v1beta1)] },
    found: ['version-conversion at versions[0] spec.size'],
  },
  {
    when: 'the newer version refuses what the older one accepts',
    shape: { ...identity, ...v1alpha1, versions: [between(v1beta1, v1alpha1)] },
    found: ['version-conversion at versions[0] spec.color'],
  },
  {
    when: 'a step begins elsewhere than the one before it ends',
    shape: { ...identity, ...v1, versions: [between(v1alpha1, v1beta1), between(version('v2', v1.spec), v1)] },
    found: ['version-chain at versions[1]'],
  },
  {
    when: 'a step begins with another schema of the version where the one before it ends',
    shape: {
      ...identity,
      ...v1,
      versions: [between(v1alpha1, v1beta1), between({ ...v1alpha1, version: 'v1beta1' }, v1)],
    },
    found: ['version-chain at versions[1]'],
  },
  {
    when: 'it goes round in a circle',
    shape: { ...identity, ...v1beta1, versions: [between(v1beta1, v1), between(v1, v1beta1)] },
    found: ['version-chain at versions[1]'],
  },
  {
    when: 'the version of the definition is none of them',
    shape: { ...identity, ...version('v2', v1.spec), versions: [between(v1beta1, v1)] },
    found: ['version-stored at versions'],
  },
  {
    when: 'the definition has another schema of its version',
    shape: { ...identity, ...larger, versions: [between(v1beta1, v1)] },
    found: ['version-stored at versions'],
  },
  {
    when: 'the version of the definition is not served',
    shape: { ...identity, ...v1, served: false },
    found: ['version-stored at served'],
  },
  {
    when: 'a deprecation has no words',
    shape: { ...identity, ...v1, versions: [between({ ...v1beta1, deprecated: '' }, v1)] },
    found: ['version-deprecated at v1beta1 deprecated'],
  },
  {
    when: 'there are functions and nobody serves them',
    shape: { ...identity, ...larger, versions: [between(v1beta1, larger, keep)] },
    found: ['version-webhook at versions'],
  },
  {
    when: 'something is wrong with another version alone',
    shape: {
      ...identity,
      ...v1,
      versions: [between({ ...v1beta1, columns: [{ name: 'A', type: 'string', jsonPath: 'spec' }] }, v1)],
    },
    found: ['columns at v1beta1 columns[0].jsonPath'],
  },
];

describe('compileCrd() of several versions', () => {
  it.each(cases)('finds $found.length problems when $when', ({ shape, found }) => {
    expect(issuesOf(shape).toSorted()).toEqual([...found].toSorted());
  });

  it('has a case for each rule', () => {
    const seen = new Set(cases.flatMap(({ found }) => found.map((each) => each.split(' ')[0])));
    expect(VERSIONS_RULES.map(({ id }) => id).filter((id) => !seen.has(id))).toEqual([]);
  });

  it('writes the versions from the oldest to the newest, each with what is its own', () => {
    const older = {
      ...v1alpha1,
      served: false,
      deprecated: true,
      columns: [{ name: 'A', type: 'string', jsonPath: '.spec.text' }],
    };
    const newer = { ...v1beta1, deprecated: 'use v1', scale: { spec: '.spec.size', status: '.status.length' } };
    const shape = { ...identity, ...v1, versions: [between(older as VersionShape, v1beta1), between(v1beta1, v1)] };
    const { versions, conversion } = compileCrd(shape).spec;
    expect(versions.map(({ name, served, storage }) => [name, served, storage])).toEqual([
      ['v1alpha1', false, false],
      ['v1beta1', true, false],
      ['v1', true, true],
    ]);
    expect(versions[0]).toMatchObject({ deprecated: true, additionalPrinterColumns: [{ name: 'A' }] });
    expect(versions[0]).not.toHaveProperty('deprecationWarning');
    expect(versions[2]).not.toHaveProperty('additionalPrinterColumns');
    expect(conversion).toBeUndefined();
    const warned = compileCrd({ ...identity, ...v1, versions: [between({ ...newer, scale: undefined } as never, v1)] });
    expect(warned.spec.versions[0]).toMatchObject({ deprecated: true, deprecationWarning: 'use v1' });
  });

  it('names the webhook when a step has functions', () => {
    const service = { name: 'op-webhook', namespace: 'op', port: 443 };
    const { conversion, versions } = compileCrd(greeting, { conversion: service }).spec;
    expect(conversion).toEqual({
      strategy: 'Webhook',
      webhook: {
        clientConfig: { service: { ...service, path: '/convert' } },
        conversionReviewVersions: ['v1'],
      },
    });
    expect(versions.map(({ name, storage }) => [name, storage])).toEqual([
      ['v1alpha1', false],
      ['v1beta1', true],
    ]);
  });

  it('names no webhook when no step has functions, wherever one could be', () => {
    const shape = { ...identity, ...v1beta1, versions: [between(v1alpha1, v1beta1)] };
    const service = { name: 'op-webhook', namespace: 'op', port: 443 };
    expect(compileCrd(shape, { conversion: service })).toEqual(compileCrd(shape));
  });

  it('says which field has no room, in which version, and the ways out', () => {
    const shape = { ...identity, ...larger, versions: [between(v1beta1, larger)] };
    expect(() => compileCrd(shape)).toThrow(
      'versions[0] spec.size: between v1beta1 and v1 without functions: only v1 has this field: a write in the other version loses what is stored in it [version-conversion]; give the field to both versions, or write up and down: between(older, newer, { up, down })',
    );
  });
});
