import { describe, expect, it } from 'vitest';
import { toOlderSchema } from '#lib/apiserver/http/discovery/openapi-v2.ts';

const text = { type: 'string' };

describe('toOlderSchema()', () => {
  it('leaves out what version 2 cannot say', () => {
    const schema = {
      type: 'object',
      required: ['a', 'maybe'],
      properties: {
        a: { ...text, description: 'A', default: 'x', oneOf: [text] },
        maybe: { type: 'object', nullable: true, properties: { b: text } },
        any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { b: text } },
        list: { type: 'array', items: { ...text, anyOf: [text] } },
        lists: { type: 'array', nullable: true, items: text },
        map: { type: 'object', additionalProperties: { ...text, not: text } },
      },
    };
    expect(toOlderSchema(schema)).toEqual({
      type: 'object',
      required: ['a'],
      properties: {
        a: { ...text, description: 'A', default: 'x' },
        maybe: {},
        any: { 'x-kubernetes-preserve-unknown-fields': true },
        list: { type: 'array', items: text },
        lists: {},
        map: { type: 'object', additionalProperties: text },
      },
    });
  });

  it('points to definitions', () => {
    const given = { allOf: [{ $ref: '#/components/schemas/x.Meta' }], default: {}, description: 'D' };
    expect(toOlderSchema(given)).toEqual({ $ref: '#/definitions/x.Meta', description: 'D' });
  });
});
