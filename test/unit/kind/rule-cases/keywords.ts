import * as Type from 'typebox';
import { s } from '#lib/kind/schema/schema.ts';
import { field, integer, type RuleCase, setOf, text } from './rule-case.ts';

/** Cases of lib/kind/rules/keywords.ts. */
export const keywordCases: readonly RuleCase[] = [
  {
    rule: 'forbidden-keyword',
    reason: 'there are no references',
    path: 'spec.a',
    refused: field({ ...text, $ref: '#/definitions/x' }),
    accepted: field(text),
  },
  {
    rule: 'forbidden-keyword',
    reason: 'there are no definitions',
    path: 'spec.a',
    refused: field({ ...text, definitions: { x: text } }),
    accepted: field(text),
  },
  {
    rule: 'forbidden-keyword',
    reason: 'a record of TypeBox has patterns for names',
    path: 'spec.a',
    refused: { spec: s.object({ a: Type.Record(Type.String(), Type.String()) }) },
    accepted: { spec: s.object({ a: s.stringMap() }) },
  },
  {
    rule: 'forbidden-keyword',
    reason: 'there are no dependencies',
    path: 'spec.a',
    refused: field({ type: 'object', dependencies: { x: ['y'] } }),
    accepted: field({ type: 'object' }),
  },
  {
    rule: 'forbidden-keyword',
    reason: 'schemas have no id',
    path: 'spec.a',
    refused: field({ ...text, id: 'x' }),
    accepted: field(text),
  },
  {
    rule: 'unknown-keyword',
    reason: 'the server forgets what it does not know',
    path: 'spec.a',
    refused: field({ ...text, const: 'x' }),
    accepted: field({ ...text, enum: ['x'] }),
    ours: true,
  },
  {
    rule: 'keyword-type',
    reason: 'the message of a CEL rule is a text',
    path: 'spec.a',
    refused: field({ ...integer, 'x-kubernetes-validations': [{ rule: 'self > 0', message: 7 }] }),
    accepted: field({ ...integer, 'x-kubernetes-validations': [{ rule: 'self > 0', message: 'must be positive' }] }),
  },
  {
    rule: 'keyword-type',
    reason: 'a length is a number',
    path: 'spec.a',
    refused: field({ ...text, maxLength: '5' }),
    accepted: field({ ...text, maxLength: 5 }),
  },
  {
    rule: 'keyword-type',
    reason: 'there is one type',
    path: 'spec.a',
    refused: field({ type: ['string', 'null'] }),
    accepted: field(text),
  },
  {
    rule: 'keyword-type',
    reason: 'tuples are not supported',
    path: 'spec.a',
    refused: field({ type: 'array', items: [text] }),
    accepted: field({ type: 'array', items: text }),
  },
  {
    rule: 'keyword-type',
    reason: 'a bound is exclusive or not',
    path: 'spec.a',
    refused: field({ ...integer, exclusiveMinimum: 0 }),
    accepted: field({ ...integer, minimum: 0, exclusiveMinimum: true }),
  },
  {
    rule: 'keyword-type',
    reason: 'true is no schema',
    path: 'spec.a',
    refused: field({ type: 'object', properties: { b: true } }),
    accepted: field({ type: 'object', properties: { b: text } }),
  },
  {
    rule: 'unique-items',
    reason: 'distinct items are a list type',
    path: 'spec.a',
    refused: field({ type: 'array', items: text, uniqueItems: true }),
    accepted: setOf(text),
  },
];
