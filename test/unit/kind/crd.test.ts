import * as Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { isJson } from '#lib/json.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { between } from '#lib/kind/versions/between.ts';
import { podSet } from './pod-set.ts';
import { baseShape } from './rule-cases.ts';

const statusOf = (crd: ReturnType<typeof compileCrd>) =>
  crd.spec.versions[0]?.schema.openAPIV3Schema.properties?.['status'];

const metadataOf = (crd: ReturnType<typeof compileCrd>) =>
  crd.spec.versions[0]?.schema.openAPIV3Schema.properties?.['metadata'];

describe('compileCrd()', () => {
  it('writes what the golden file says', async () => {
    const text = `${JSON.stringify(compileCrd(podSet), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot('golden/pod-set-crd.golden');
  });

  it('returns plain JSON without marks of TypeBox', () => {
    const crd = compileCrd({
      ...baseShape,
      spec: Type.Object({ a: Type.Optional(Type.String()), b: s.optional(s.int32()) }),
    });
    expect(isJson(crd)).toBe(true);
    const schema = crd.spec.versions[0]?.schema.openAPIV3Schema.properties?.['spec'];
    expect(Object.getOwnPropertyNames(schema)).toEqual(['type', 'properties']);
    expect(Reflect.ownKeys(schema?.properties?.['a'] ?? {})).toEqual(['type']);
  });

  it('is deterministic: keywords stand in one order however they were written', () => {
    const one = { ...baseShape, spec: s.object({ a: s.unsafe({ type: 'string', maxLength: 3, minLength: 1 }) }) };
    const other = { ...baseShape, spec: s.object({ a: s.unsafe({ minLength: 1, maxLength: 3, type: 'string' }) }) };
    expect(JSON.stringify(compileCrd(one))).toBe(JSON.stringify(compileCrd(other)));
  });

  it('returns a copy: changing it does not change the definition', () => {
    const tags = ['a'];
    const shape = { ...baseShape, spec: s.object({ tags: s.set(s.string(), { default: tags }) }) };
    const before = JSON.stringify(compileCrd(shape));
    const seen = compileCrd(shape).spec.versions[0]?.schema.openAPIV3Schema.properties?.['spec']?.properties;
    Object.assign(seen ?? {}, { tags: { type: 'string' } });
    expect(JSON.stringify(compileCrd(shape))).toBe(before);
  });

  it('requires nothing of the status, at its first level', () => {
    const status = s.object({ replicas: s.int32(), last: s.object({ code: s.int32() }) });
    const compiled = statusOf(compileCrd({ ...baseShape, status }));
    expect(compiled).not.toHaveProperty('required');
    expect(compiled?.properties?.['last']?.required).toEqual(['code']);
  });

  it('puts conditions first and observedGeneration second', () => {
    const status = s.object({ replicas: s.int32() });
    const names = Object.keys(statusOf(compileCrd({ ...baseShape, status }))?.properties ?? {});
    expect(names).toEqual(['conditions', 'observedGeneration', 'replicas']);
  });

  it('gives every version a default of the status that kstatus reads as in progress', () => {
    const crd = compileCrd({
      ...baseShape,
      versions: [between({ ...baseShape, version: 'v1beta2' }, baseShape)],
    });
    const defaults = crd.spec.versions.map(({ schema }) => schema.openAPIV3Schema.properties?.['status']?.default);
    expect(defaults).toHaveLength(2);
    for (const status of defaults)
      expect(status).toMatchObject({ observedGeneration: -1, conditions: [{ type: 'Ready', status: 'Unknown' }] });
  });

  it('limits the name when asked to', () => {
    expect(metadataOf(compileCrd(baseShape))).toEqual({ type: 'object' });
    expect(metadataOf(compileCrd({ ...baseShape, name: { maxLength: 52 } }))?.properties?.['name']).toEqual({
      type: 'string',
      maxLength: 52,
    });
  });

  it('names the kind and every problem in the error', () => {
    const shape = { ...baseShape, group: 'x', spec: s.object({ steps: s.list(s.unsafe({})) }) };
    expect(() => compileCrd(shape)).toThrow(/"Probe".*\n.*group.*\n.*spec\.steps\[\]/s);
  });
});
