import { describe, expect, it } from 'vitest';
import { applyDefaults } from '#lib/kind/instance/defaults.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { podSet } from './pod-set.ts';

const nested = s.object({ inner: s.object({ a: s.int32({ default: 1 }) }, { default: {} }) });
const optional = s.object({ inner: s.optional(s.object({ a: s.int32({ default: 1 }) })) });
const listed = s.object({ items: s.list(s.object({ a: s.int32({ default: 1 }) })) });
const mapped = s.unsafe({
  type: 'object',
  additionalProperties: { type: 'object', properties: { a: { type: 'integer', default: 1 } } },
});
const nullable = s.object({ a: s.unsafe({ type: 'string', nullable: true, default: 'x' }) });

describe('applyDefaults()', () => {
  it.each([
    { reason: 'a default is filled in again below', schema: nested, value: {}, result: { inner: { a: 1 } } },
    { reason: 'an absent object stays absent', schema: optional, value: {}, result: {} },
    { reason: 'a present object is filled', schema: optional, value: { inner: {} }, result: { inner: { a: 1 } } },
    {
      reason: 'items are filled',
      schema: listed,
      value: { items: [{}, { a: 2 }] },
      result: { items: [{ a: 1 }, { a: 2 }] },
    },
    { reason: 'values of a map are filled', schema: mapped, value: { x: {} }, result: { x: { a: 1 } } },
    { reason: 'null counts as absent', schema: nested, value: { inner: { a: null } }, result: { inner: { a: 1 } } },
    { reason: 'null without a default is dropped', schema: optional, value: { inner: null }, result: {} },
    { reason: 'null stays where it is allowed', schema: nullable, value: { a: null }, result: { a: null } },
    { reason: 'unknown fields stay', schema: optional, value: { b: 1 }, result: { b: 1 } },
    { reason: 'undefined is absent', schema: nullable, value: { a: undefined }, result: { a: 'x' } },
    { reason: 'a scalar stays', schema: nested, value: 3, result: 3 },
  ])('applyDefaults() does as the API server: $reason', ({ schema, value, result }) => {
    expect(applyDefaults(schema, value)).toStrictEqual(result);
  });

  it('applyDefaults() returns a new value and leaves the frozen one alone', () => {
    const value = Object.freeze({ ports: Object.freeze([Object.freeze({ port: 80 })]) });
    const result = applyDefaults(podSet.spec, value);
    expect(result).toMatchObject({
      replicas: 1,
      ports: [{ port: 80, protocol: 'TCP' }],
      updateStrategy: { maxSurge: '25%' },
    });
    expect(value).toEqual({ ports: [{ port: 80 }] });
  });
});
