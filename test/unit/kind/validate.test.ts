import { describe, expect, it } from 'vitest';
import { validateResource } from '#lib/kind/instance/validate.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { podSet } from './pod-set.ts';
import { ACCEPTED_SPECS, probe, REFUSED_SPECS, resourceOf } from './resource-cases.ts';

describe('validateResource() checks the spec', () => {
  it.each(REFUSED_SPECS)('validateResource() refuses $path: $reason', ({ spec, path, rule, fix }) => {
    const issues = validateResource(probe, resourceOf(spec));
    expect(issues).toEqual([expect.objectContaining({ path, rule, ...(fix && { fix }) })]);
  });

  it.each(ACCEPTED_SPECS)('validateResource() accepts: $reason', ({ spec }) => {
    expect(validateResource(probe, resourceOf(spec))).toEqual([]);
  });

  it('validateResource() lists the allowed fields', () => {
    const [issue] = validateResource(
      { ...probe, spec: s.object({ a: s.int32(), b: s.int32() }) },
      resourceOf({ a: 1, b: 1, size: 3 }),
    );
    expect(issue?.message).toContain('allowed: a, b');
  });

  it('validateResource() reports everything at once, in the order of the value', () => {
    const paths = validateResource(probe, resourceOf({ steps: [{ percent: 1 }, {}], count: 99 })).map(
      ({ path }) => path,
    );
    expect(paths).toEqual(['spec.steps[0].percent', 'spec.steps[1].percent', 'spec.count']);
  });

  it('validateResource() checks frozen values and changes nothing', () => {
    const value = Object.freeze(resourceOf(Object.freeze({ ports: Object.freeze([{ name: 'a' }]) })));
    expect(validateResource(probe, value)).toEqual([]);
    expect(value.spec).toEqual({ ports: [{ name: 'a' }] });
  });
});

describe('validateResource() checks the rest of the object', () => {
  it.each([
    { reason: 'capitals', object: { metadata: { name: 'Web' }, spec: {} }, path: 'metadata.name', rule: 'name' },
    {
      reason: 'a dash at the end',
      object: { metadata: { name: 'web-' }, spec: {} },
      path: 'metadata.name',
      rule: 'name',
    },
    {
      reason: 'longer than the kind allows',
      object: { metadata: { name: 'a'.repeat(21) }, spec: {} },
      path: 'metadata.name',
      rule: 'name',
    },
    { reason: 'a number', object: { metadata: { name: 7 }, spec: {} }, path: 'metadata.name', rule: 'name' },
    { reason: 'no object', object: { metadata: 'web', spec: {} }, path: 'metadata', rule: 'type' },
    { reason: 'another kind', object: { kind: 'Prob', spec: {} }, path: 'kind', rule: 'identity' },
    {
      reason: 'another version',
      object: { apiVersion: 'app.example.com/v2', spec: {} },
      path: 'apiVersion',
      rule: 'identity',
    },
    { reason: 'the status is not for users', object: { spec: {}, status: {} }, path: 'status', rule: 'status' },
    { reason: 'a mistyped part', object: { spec: {}, metdata: {} }, path: 'metdata', rule: 'unknown-field' },
    { reason: 'nothing', object: null, path: '', rule: 'type' },
  ])('validateResource() refuses $path: $reason', ({ object, path, rule }) => {
    expect(validateResource(probe, object)).toEqual([expect.objectContaining({ path, rule })]);
  });

  it.each([
    { reason: 'the name may be generated', object: { spec: {} } },
    { reason: 'parts of a name', object: { metadata: { name: 'web.1-a', labels: {} }, spec: {} } },
    { reason: 'the identity is right', object: { apiVersion: 'app.example.com/v1', kind: 'Probe', spec: {} } },
  ])('validateResource() accepts: $reason', ({ object }) => {
    expect(validateResource(probe, object)).toEqual([]);
  });
});

describe('validateResource() and tokens', () => {
  class Token {
    readonly id = 1;
  }
  const isToken = (value: unknown): boolean => value instanceof Token || String(value).includes('${Token');

  it.each([
    { reason: 'a field', object: resourceOf({ count: new Token() }) },
    { reason: 'a text', object: resourceOf({ name: '${Token[1]}', at: '${Token[2]}' }) },
    { reason: 'an item', object: resourceOf({ tags: ['${Token[1]}', '${Token[1]}'] }) },
    { reason: 'a key', object: resourceOf({ ports: [{ name: '${Token[1]}' }] }) },
    { reason: 'the spec', object: resourceOf(new Token()) },
    { reason: 'the name', object: { metadata: { name: '${Token[1]}' }, spec: {} } },
  ])('validateResource() leaves a token alone: $reason', ({ object }) => {
    expect(validateResource(probe, object, { isToken })).toEqual([]);
  });

  it('validateResource() still looks at what is no token', () => {
    const issues = validateResource(probe, resourceOf({ name: '${Token[1]}', count: 99 }), { isToken });
    expect(issues.map(({ path }) => path)).toEqual(['spec.count']);
  });
});

describe('validateResource() on a large kind', () => {
  it('validateResource() accepts what PodSet is meant for', () => {
    const spec = { replicas: 3, selector: { matchLabels: { app: 'web' } }, template: { spec: { containers: [] } } };
    expect(validateResource(podSet, resourceOf(spec))).toEqual([]);
  });
});
