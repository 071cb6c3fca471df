import * as Type from 'typebox';
import { s } from '#lib/kind/schema/schema.ts';
import { field, INT_OR_STRING, integer, named, PRESERVE, type RuleCase, text } from './rule-case.ts';

/** Cases of lib/kind/rules/types.ts. */
export const typeCases: readonly RuleCase[] = [
  {
    rule: 'type-required',
    reason: 'every field has a type',
    path: 'spec.a',
    refused: field({}),
    accepted: field({ [PRESERVE]: true }),
  },
  {
    rule: 'type-required',
    reason: 'every item has a type',
    path: 'spec.a[]',
    refused: field({ type: 'array', items: {} }),
    accepted: field({ type: 'array', items: { [INT_OR_STRING]: true } }),
  },
  {
    rule: 'type-required',
    reason: 'every value of a map has a type',
    path: 'spec.a[*]',
    refused: field({ type: 'object', additionalProperties: {} }),
    accepted: field({ type: 'object', additionalProperties: text }),
  },
  {
    rule: 'type-required',
    reason: 'a union of TypeBox has none',
    path: 'spec.a',
    refused: { spec: s.object({ a: Type.Union([Type.String(), Type.Boolean()]) }) },
    accepted: { spec: s.object({ a: Type.String() }) },
  },
  {
    rule: 'type-known',
    reason: 'null is no type',
    path: 'spec.a',
    refused: field({ type: 'null' }),
    accepted: field(text),
  },
  {
    rule: 'type-known',
    reason: 'types are those of OpenAPI',
    path: 'spec.a',
    refused: field({ type: 'int' }),
    accepted: field(integer),
  },
  {
    rule: 'object-part',
    reason: 'a spec has fields',
    path: 'spec',
    refused: { spec: s.list(s.string()) },
    accepted: {},
    ours: true,
  },
  {
    rule: 'object-part',
    reason: 'a spec is not null',
    path: 'spec',
    refused: { spec: s.unsafe({ type: 'object', nullable: true }) },
    accepted: {},
    ours: true,
  },
  {
    rule: 'items-required',
    reason: 'a list has a schema of its items',
    path: 'spec.a',
    refused: field({ type: 'array' }),
    accepted: field({ type: 'array', items: text }),
  },
  {
    rule: 'fields-or-values',
    reason: 'objects are structures or maps',
    path: 'spec.a',
    refused: field({ ...named, additionalProperties: text }),
    accepted: field(named),
  },
  {
    rule: 'fields-or-values',
    reason: 'unknown fields are dropped, not refused',
    path: 'spec.a',
    refused: field({ ...named, additionalProperties: false }),
    accepted: field(named),
  },
  {
    rule: 'values-schema',
    reason: 'the content of undeclared values is lost',
    path: 'spec.a',
    refused: field({ type: 'object', additionalProperties: true }),
    accepted: field({ type: 'object', [PRESERVE]: true }),
    ours: true,
  },
  {
    rule: 'required-declared',
    reason: 'an undeclared field is always missing',
    path: 'spec.a',
    refused: field({ type: 'object', required: ['b'] }),
    accepted: field({ type: 'object', required: ['b'], properties: { b: text } }),
    ours: true,
  },
];
