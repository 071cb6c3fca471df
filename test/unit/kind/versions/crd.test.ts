import { describe, expect, it } from 'vitest';
import { InvalidDefinitionError } from '#lib/errors.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import type { KindShape, VersionShape } from '#lib/kind/shape.ts';
import { between } from '#lib/kind/versions/between.ts';
import { VERSIONS_RULES } from '#lib/kind/versions/rules.ts';
import { greeting } from '#test/examples/greeting.ts';
import { identity, larger, VERSIONS_CASES, v1, v1alpha1, v1beta1 } from './versions-cases.ts';

const issuesOf = (shape: KindShape): string[] => {
  try {
    compileCrd(shape);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidDefinitionError)) throw error;
    expect(error.issues.filter(({ fix }) => !fix)).toEqual([]);
    return error.issues.map(({ rule, path }) => `${rule} at ${path}`);
  }
};

describe('compileCrd() of several versions', () => {
  it.each(VERSIONS_CASES)('finds $found.length problems when $when', ({ shape, found }) => {
    expect(issuesOf(shape).toSorted()).toEqual([...found].toSorted());
  });

  it('has a case for each rule', () => {
    const seen = new Set(VERSIONS_CASES.flatMap(({ found }) => found.map((each) => each.split(' ')[0])));
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
      'versions[0] spec.size: between v1beta1 and v1 without functions: only v1 has this field: a write in the other version loses its value [version-conversion]; make the field equal in both versions, or write up and down: between(older, newer, { up, down })',
    );
  });
});
