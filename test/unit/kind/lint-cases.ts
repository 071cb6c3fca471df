import { s } from '#lib/kind/schema/schema.ts';
import type { KindShape } from '#lib/kind/shape.ts';
import { field, INT_OR_STRING, LIST_TYPE, type RawSchema, type RuleCase } from './rule-cases/rule-case.ts';

const line = { type: 'string', maxLength: 99 };
const count = { type: 'integer', minimum: 0, maximum: 9 };
const object = (properties: Readonly<Record<string, RawSchema>>, required: readonly string[] = []): RawSchema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
});
const named = (name: string, schema: RawSchema): Partial<KindShape> => ({
  spec: s.object({ [name]: s.unsafe(schema) }),
});
const list = (items: RawSchema, rest: RawSchema = {}): RawSchema => ({
  type: 'array',
  items,
  maxItems: 9,
  [LIST_TYPE]: 'atomic',
  ...rest,
});
const intOrString = { [INT_OR_STRING]: true, anyOf: [{ type: 'integer' }, { type: 'string' }], minimum: 0, maximum: 9 };

/** At least one case for every convention. */
export const LINT_CASES: readonly RuleCase[] = [
  {
    rule: 'bound-length',
    reason: 'a text has a longest length',
    path: 'spec.a',
    refused: field({ type: 'string' }),
    accepted: field(line),
  },
  {
    rule: 'bound-length',
    reason: 'texts in a list have one, too',
    path: 'spec.a[]',
    refused: field(list({ type: 'string' })),
    accepted: field(list({ type: 'string', format: 'date-time' })),
  },
  {
    rule: 'bound-items',
    reason: 'a list has a largest number of items',
    path: 'spec.a',
    refused: field({ type: 'array', items: line, [LIST_TYPE]: 'set' }),
    accepted: field({ type: 'array', items: line, [LIST_TYPE]: 'set', maxItems: 9 }),
  },
  {
    rule: 'bound-properties',
    reason: 'a map has a largest number of entries',
    path: 'spec.a',
    refused: field({ type: 'object', additionalProperties: line }),
    accepted: field({ type: 'object', additionalProperties: line, maxProperties: 9 }),
  },
  {
    rule: 'bound-number',
    reason: 'a number has a smallest and a largest value',
    path: 'spec.a',
    refused: field({ type: 'integer', minimum: 0 }),
    accepted: field(count),
  },
  {
    rule: 'safe-integer',
    reason: 'JavaScript holds every value exactly',
    path: 'spec.a',
    refused: field({ type: 'integer', format: 'int64', minimum: 0, maximum: 2 ** 60 }),
    accepted: field({ type: 'integer', format: 'int64', minimum: 0, maximum: 2 ** 53 - 1 }),
  },
  {
    rule: 'list-type-missing',
    reason: 'a list says how it is merged',
    path: 'spec.a',
    refused: field({ type: 'array', items: line, maxItems: 9 }),
    accepted: field(list(line)),
  },
  {
    rule: 'default-optional',
    reason: 'what has a default need not be written',
    path: 'spec.a',
    refused: field(object({ b: { ...line, default: 'x' } }, ['b'])),
    accepted: field(object({ b: { ...line, default: 'x' } })),
  },
  {
    rule: 'no-float',
    reason: 'numbers are whole',
    path: 'spec.a',
    refused: field({ type: 'number', minimum: 0, maximum: 1 }),
    accepted: field({ type: 'integer', minimum: 0, maximum: 1000 }),
  },
  {
    rule: 'number-enum',
    reason: 'values of an enum are words',
    path: 'spec.a',
    refused: field({ type: 'integer', enum: [1, 2] }),
    accepted: field({ type: 'string', enum: ['One', 'Two'] }),
  },
  {
    rule: 'enum-case',
    reason: 'words of an enum are in CamelCase',
    path: 'spec.a',
    refused: field({ type: 'string', enum: ['Always', 'if-not-present'] }),
    accepted: field({ type: 'string', enum: ['Always', 'IfNotPresent', ''] }),
  },
  {
    rule: 'no-nullable',
    reason: 'null is no value',
    path: 'spec.a',
    refused: field({ ...line, nullable: true }),
    accepted: field(line),
  },
  {
    rule: 'int-or-string-pattern',
    reason: 'not every text stands beside a number',
    path: 'spec.a',
    refused: field({ ...intOrString, maxLength: 4 }),
    accepted: field({ ...intOrString, maxLength: 4, pattern: '^[0-9]+%$' }),
  },
  {
    rule: 'unknown-format',
    reason: 'a format that no server checks lets every text pass',
    path: 'spec.a',
    refused: field({ ...line, format: 'phone' }),
    accepted: field({ ...line, format: 'uri' }),
  },
  {
    rule: 'unknown-format',
    reason: 'servers before 1.34 do not know the formats of names',
    path: 'spec.a',
    refused: field({ ...line, format: 'k8s-short-name' }),
    accepted: field({ ...line, format: 'ipv4' }),
  },
  {
    rule: 'seconds-name',
    reason: 'a duration says its unit',
    path: 'spec.requestTimeout',
    refused: named('requestTimeout', count),
    accepted: named('requestTimeoutSeconds', count),
  },
  {
    rule: 'duration-text',
    reason: 'durations are numbers',
    path: 'spec.a',
    refused: field({ ...line, format: 'duration' }),
    accepted: named('waitSeconds', count),
  },
  {
    rule: 'time-name',
    reason: 'points in time end in Time',
    path: 'spec.startTimestamp',
    refused: named('startTimestamp', { type: 'string', format: 'date-time' }),
    accepted: named('startTime', { type: 'string', format: 'date-time' }),
  },
  {
    rule: 'no-phase',
    reason: 'conditions take the place of a phase',
    path: 'status.phase',
    refused: { status: s.object({ phase: s.enum(['Running']) }) },
    accepted: { spec: s.object({ phase: s.enum(['Running']) }) },
  },
  {
    rule: 'no-object-map',
    reason: 'maps lead to texts',
    path: 'spec.a',
    refused: field({ type: 'object', maxProperties: 9, additionalProperties: object({ b: line }) }),
    accepted: field({ type: 'object', maxProperties: 9, additionalProperties: line }),
  },
  {
    rule: 'item-required',
    reason: 'an item is never empty',
    path: 'spec.a[]',
    refused: field(list(object({ b: line }))),
    accepted: field(list(object({ b: line }, ['b']))),
  },
  {
    rule: 'atomic-default',
    reason: 'what is stored in an atomic list is what was applied',
    path: 'spec.a',
    refused: field(list(object({ b: line, c: object({ d: { ...line, default: 'x' } }) }, ['b']))),
    accepted: field({
      ...list(object({ b: line, c: { ...line, default: 'x' } }, ['b'])),
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['b'],
    }),
  },
  {
    rule: 'reference-namespace',
    reason: 'references stay in their namespace',
    path: 'spec.configRef',
    refused: named('configRef', object({ name: { ...line, pattern: '^[a-z]+$' }, namespace: line }, ['name'])),
    accepted: named('configRef', object({ name: { ...line, pattern: '^[a-z]+$' } }, ['name'])),
  },
  {
    rule: 'reference-name',
    reason: 'a name is not any text',
    path: 'spec.configRef',
    refused: named('configRef', object({ name: line }, ['name'])),
    accepted: { spec: s.object({ configRef: s.object({ name: s.objectName() }) }) },
  },
  {
    rule: 'short-name-taken',
    reason: 'kubectl knows some short names itself',
    path: 'shortNames[1]',
    refused: { shortNames: ['pb', 'po'] },
    accepted: { shortNames: ['pb', 'prb'] },
  },
];
