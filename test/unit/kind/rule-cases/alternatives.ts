import { field, INT_OR_STRING, integer, RULES, type RuleCase, text } from './rule-case.ts';

const withB = { type: 'object', properties: { b: integer } };

/** Cases of lib/kind/rules/alternatives.ts. */
export const alternativeCases: readonly RuleCase[] = [
  {
    rule: 'restricting-alternative',
    reason: 'types are declared once',
    path: 'spec.a.anyOf[0]',
    refused: field({ ...integer, anyOf: [{ type: 'integer' }, { minimum: 3 }] }),
    accepted: field({ ...integer, anyOf: [{ maximum: 1 }, { minimum: 3 }] }),
  },
  {
    rule: 'restricting-alternative',
    reason: 'defaults are declared once',
    path: 'spec.a.not',
    refused: field({ ...integer, not: { default: 3 } }),
    accepted: field({ ...integer, not: { enum: [3] } }),
  },
  {
    rule: 'restricting-alternative',
    reason: 'rules stand outside',
    path: 'spec.a.allOf[0]',
    refused: field({ ...integer, allOf: [{ [RULES]: [{ rule: 'self > 1' }] }] }),
    accepted: field({ ...integer, allOf: [{ minimum: 1 }] }),
  },
  {
    rule: 'restricting-alternative',
    reason: 'fields have their types outside',
    path: 'spec.a.oneOf[0].b',
    refused: field({ ...withB, oneOf: [{ properties: { b: integer } }] }),
    accepted: field({ ...withB, oneOf: [{ properties: { b: { minimum: 1 } } }] }),
  },
  {
    rule: 'restricting-alternative',
    reason: 'metadata is not reasoned about',
    path: 'spec.a.anyOf[0].metadata',
    refused: field({ type: 'object', properties: { metadata: withB }, anyOf: [{ properties: { metadata: {} } }] }),
    accepted: field({ type: 'object', properties: { meta: withB }, anyOf: [{ properties: { meta: {} } }] }),
  },
  {
    rule: 'restricting-alternative',
    reason: 'an integer or a string is the one exception',
    path: 'spec.a.anyOf[0]',
    refused: field({ [INT_OR_STRING]: true, anyOf: [text, integer] }),
    accepted: field({ [INT_OR_STRING]: true, allOf: [{ anyOf: [integer, text] }, { maxLength: 5 }] }),
  },
  {
    rule: 'declared-alternative',
    reason: 'a restricted field is declared',
    path: 'spec.a.oneOf[0]',
    refused: field({ ...withB, oneOf: [{ required: ['c'], properties: { c: { minimum: 1 } } }] }),
    accepted: field({ ...withB, oneOf: [{ required: ['b'], properties: { b: { minimum: 1 } } }] }),
    ours: true,
  },
  {
    rule: 'declared-alternative',
    reason: 'restricted items are declared',
    path: 'spec.a.allOf[0]',
    refused: field({ type: 'string', allOf: [{ items: { minimum: 1 } }] }),
    accepted: field({ type: 'array', items: integer, allOf: [{ items: { minimum: 1 } }] }),
    ours: true,
  },
];
