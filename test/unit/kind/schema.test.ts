import * as Type from 'typebox';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { readSchema } from '#lib/kind/json-schema/json-schema.ts';
import { walkSchema } from '#lib/kind/json-schema/walk.ts';
import { rootSchema, storedStatusSchema } from '#lib/kind/schema/root-schema.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { podSet } from './pod-set.ts';

const atomic = { 'x-kubernetes-list-type': 'atomic' };

describe('s', () => {
  it.each([
    {
      reason: 'an int32 is bounded',
      built: s.int32(),
      json: { type: 'integer', format: 'int32', minimum: -2147483648, maximum: 2147483647 },
    },
    {
      reason: 'given bounds win',
      built: s.int32({ minimum: 0, default: 1 }),
      json: { type: 'integer', format: 'int32', minimum: 0, maximum: 2147483647, default: 1 },
    },
    {
      reason: 'options are keywords',
      built: s.string({ description: 'd', maxLength: 3, pattern: 'a' }),
      json: { type: 'string', description: 'd', maxLength: 3, pattern: 'a' },
    },
    { reason: 'an enum is a string', built: s.enum(['A', 'B']), json: { type: 'string', enum: ['A', 'B'] } },
    { reason: 'a boolean', built: s.boolean({ default: false }), json: { type: 'boolean', default: false } },
    {
      reason: 'a list is atomic',
      built: s.list(s.boolean(), { maxItems: 2 }),
      json: { type: 'array', items: { type: 'boolean' }, ...atomic, maxItems: 2 },
    },
    {
      reason: 'a set',
      built: s.set(s.string()),
      json: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    },
    {
      reason: 'a map of strings',
      built: s.stringMap({ maxProperties: 4, values: { maxLength: 63 } }),
      json: { type: 'object', additionalProperties: { type: 'string', maxLength: 63 }, maxProperties: 4 },
    },
    {
      reason: 'rules',
      built: s.boolean({ validations: [{ rule: 'self' }] }),
      json: { type: 'boolean', 'x-kubernetes-validations': [{ rule: 'self' }] },
    },
    {
      reason: 'undefined is absent',
      built: s.string({ maxLength: undefined } as object),
      json: { type: 'string' },
    },
  ])('s builds the JSON itself: $reason', ({ built, json }) => {
    expect(built).toStrictEqual(json);
    expect(JSON.parse(JSON.stringify(built))).toStrictEqual(json);
  });

  it('s.object() requires what has no default and is not optional', () => {
    const schema = s.object({
      a: s.string(),
      b: s.string({ default: '' }),
      c: s.optional(s.string()),
      d: Type.Optional(Type.String()),
      e: Type.Integer(),
    });
    expect(schema).toMatchObject({ type: 'object', required: ['a', 'e'] });
    expect(s.object({})).toStrictEqual({ type: 'object', properties: {} });
  });

  it('s.mapList() names its keys', () => {
    const schema = s.mapList(s.object({ name: s.string() }), { keys: ['name'], minItems: 1 });
    expect(schema).toMatchObject({
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      minItems: 1,
    });
    expect(schema).not.toHaveProperty('keys');
  });

  it('s.conditions() is a map list by type with the bounds of metav1.Condition', () => {
    expect(s.conditions()).toMatchObject({
      'x-kubernetes-list-map-keys': ['type'],
      items: {
        required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
        properties: {
          type: { maxLength: 316 },
          status: { enum: ['True', 'False', 'Unknown'] },
          reason: { minLength: 1, maxLength: 1024 },
          message: { maxLength: 32768 },
          lastTransitionTime: { format: 'date-time' },
          observedGeneration: { format: 'int64', minimum: 0 },
        },
      },
    });
  });

  it('s.optional() leaves its argument alone', () => {
    const schema = s.string();
    expect(s.object({ a: s.optional(schema) })).not.toHaveProperty('required');
    expect(s.object({ a: schema })).toHaveProperty('required', ['a']);
  });

  it('s returns frozen schemas', () => {
    expect(Object.isFrozen(s.string())).toBe(true);
    expect(Object.isFrozen(s.optional(s.string()))).toBe(true);
  });

  it('TypeBox takes the schemas for its own', () => {
    const schema = Type.Object({ a: s.optional(s.string()), b: s.int32() });
    expect(schema.required).toEqual(['b']);
    expect(Type.IsOptional(s.optional(s.string()))).toBe(true);
    expect(Type.IsUnsafe(s.string())).toBe(true);
  });
});

const around = (schema: JsonObject): JsonObject => ({ type: 'object', properties: { field: schema } });

/** How often a walk reads the type of a field at a depth. */
const readsAt = (depth: number): number => {
  let reads = 0;
  const field = {
    get type() {
      reads += 1;
      return 'string';
    },
  };
  const root = Array.from({ length: depth }).reduce<JsonObject>(around, field);
  const paths = [...walkSchema(root)].map(({ path }) => path);
  expect(paths).toHaveLength(depth + 1);
  return reads;
};

describe('walkSchema()', () => {
  it('walkSchema() reads a field as often when it lies deeper', () => {
    expect(readsAt(8)).toBe(readsAt(1));
  });
});

describe('storedStatusSchema()', () => {
  it('storedStatusSchema() returns the status in the root schema', () => {
    expect(storedStatusSchema(podSet)).toEqual(readSchema(rootSchema(podSet)).properties?.['status']);
  });

  it('storedStatusSchema() returns the same schema when the definition is a copy', () => {
    expect(storedStatusSchema({ ...podSet })).toBe(storedStatusSchema(podSet));
  });
});
