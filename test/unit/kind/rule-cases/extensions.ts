import { EMBEDDED, field, INT_OR_STRING, integer, named, PRESERVE, type RuleCase, text } from './rule-case.ts';

/** Cases of lib/kind/rules/extensions.ts. */
export const extensionCases: readonly RuleCase[] = [
  {
    rule: 'int-or-string',
    reason: 'a number keeps no fields',
    path: 'spec.a',
    refused: field({ [INT_OR_STRING]: true, [PRESERVE]: true }),
    accepted: field({ [INT_OR_STRING]: true }),
  },
  {
    rule: 'int-or-string',
    reason: 'a number is no resource',
    path: 'spec.a',
    refused: field({ [INT_OR_STRING]: true, [EMBEDDED]: true, type: 'object', properties: { b: text } }),
    accepted: field({ [INT_OR_STRING]: true, anyOf: [integer, text] }),
  },
  {
    rule: 'preserve-unknown-fields',
    reason: 'false is not the absence',
    path: 'spec.a',
    refused: field({ type: 'object', [PRESERVE]: false }),
    accepted: field({ type: 'object' }),
  },
  {
    rule: 'embedded-resource',
    reason: 'a resource is an object',
    path: 'spec.a',
    refused: field({ type: 'string', [EMBEDDED]: true, [PRESERVE]: true }),
    accepted: field({ type: 'object', [EMBEDDED]: true, [PRESERVE]: true }),
  },
  {
    rule: 'embedded-resource',
    reason: 'an empty resource makes no sense',
    path: 'spec.a',
    refused: field({ type: 'object', [EMBEDDED]: true }),
    accepted: field({ type: 'object', [EMBEDDED]: true, properties: { spec: named } }),
  },
  {
    rule: 'embedded-resource',
    reason: 'a resource is no map',
    path: 'spec.a',
    refused: field({ type: 'object', [EMBEDDED]: true, [PRESERVE]: true, additionalProperties: text }),
    accepted: field({ type: 'object', [EMBEDDED]: true, [PRESERVE]: true }),
  },
  {
    rule: 'embedded-resource',
    reason: 'metadata contains no resources',
    path: 'spec.a.metadata.b',
    refused: field({
      type: 'object',
      [EMBEDDED]: true,
      properties: {
        metadata: { type: 'object', properties: { b: { type: 'object', [EMBEDDED]: true, [PRESERVE]: true } } },
      },
    }),
    accepted: field({ type: 'object', [EMBEDDED]: true, properties: { metadata: { type: 'object' } } }),
  },
  {
    rule: 'embedded-identity',
    reason: 'the kind is a string everywhere',
    path: 'spec.a.kind',
    refused: field({ type: 'object', [EMBEDDED]: true, properties: { kind: integer } }),
    accepted: field({ type: 'object', [EMBEDDED]: true, properties: { kind: text } }),
  },
  {
    rule: 'embedded-default',
    reason: 'a resource says what it is',
    path: 'spec.a',
    refused: field({ type: 'object', [EMBEDDED]: true, [PRESERVE]: true, default: {} }),
    accepted: field({ type: 'object', [EMBEDDED]: true, [PRESERVE]: true }),
  },
];
