import type { JsonSchema } from '#lib/kind/json-schema/json-schema.ts';

const text = { type: 'string' } as const;
/** A number. */
export const count = { type: 'integer' } as const;
const list = { type: 'array', items: text } as const;
/** A map. */
export const map = { type: 'object', additionalProperties: text } as const;
const rules = (...expressions: readonly string[]) => ({
  'x-kubernetes-validations': expressions.map((expression) => ({ rule: expression })),
});

/** A field before and after a change, and the rules that the change breaks. */
export interface ChangeCase {
  readonly when: string;
  readonly before: JsonSchema;
  readonly after: JsonSchema;
  readonly breaks?: readonly string[];
}

/** Changes of one field, breaking ones and others. */
export const CHANGE_CASES: readonly ChangeCase[] = [
  { when: 'nothing changes', before: count, after: count },
  { when: 'words about it change', before: text, after: { ...text, description: 'other words' } },
  { when: 'it has another type', before: count, after: text, breaks: ['type-changed'] },
  {
    when: 'a percentage is allowed, too',
    before: count,
    after: { 'x-kubernetes-int-or-string': true },
    breaks: ['type-changed'],
  },
  { when: 'a lower limit is new', before: count, after: { ...count, minimum: 0 }, breaks: ['bound-tightened'] },
  { when: 'a lower limit falls', before: { ...count, minimum: 1 }, after: { ...count, minimum: 0 } },
  {
    when: 'an upper limit falls',
    before: { ...count, maximum: 9 },
    after: { ...count, maximum: 8 },
    breaks: ['bound-tightened'],
  },
  { when: 'an upper limit goes', before: { ...count, maximum: 9 }, after: count },
  {
    when: 'a limit itself is refused',
    before: { ...count, maximum: 9 },
    after: { ...count, maximum: 9, exclusiveMaximum: true },
    breaks: ['bound-tightened'],
  },
  {
    when: 'only multiples are allowed',
    before: count,
    after: { ...count, multipleOf: 2 },
    breaks: ['bound-tightened'],
  },
  { when: 'texts are cut short', before: text, after: { ...text, maxLength: 9 }, breaks: ['bound-tightened'] },
  { when: 'empty texts are refused', before: text, after: { ...text, minLength: 1 }, breaks: ['bound-tightened'] },
  { when: 'a lower limit of nothing is written out', before: text, after: { ...text, minLength: 0 } },
  { when: 'lists are cut short', before: list, after: { ...list, maxItems: 3 }, breaks: ['bound-tightened'] },
  { when: 'maps are cut short', before: map, after: { ...map, maxProperties: 3 }, breaks: ['bound-tightened'] },
  { when: 'values are listed', before: text, after: { ...text, enum: ['a'] }, breaks: ['enum-narrowed'] },
  { when: 'a value is added', before: { ...text, enum: ['a'] }, after: { ...text, enum: ['a', 'b'] } },
  {
    when: 'a value is taken away',
    before: { ...text, enum: ['a', 'b'] },
    after: { ...text, enum: ['a'] },
    breaks: ['enum-narrowed'],
  },
  { when: 'values are free from now on', before: { ...text, enum: ['a'] }, after: text },
  { when: 'null is refused', before: { ...text, nullable: true }, after: text, breaks: ['null-refused'] },
  { when: 'a pattern is new', before: text, after: { ...text, pattern: 'a' }, breaks: ['pattern-changed'] },
  { when: 'a pattern goes', before: { ...text, pattern: 'a' }, after: text },
  {
    when: 'a format is another one',
    before: { ...text, format: 'date' },
    after: { ...text, format: 'date-time' },
    breaks: ['format-changed'],
  },
  { when: 'a rule is new', before: count, after: { ...count, ...rules('self > 1') }, breaks: ['rule-added'] },
  {
    when: 'one of two rules is new',
    before: { ...count, ...rules('self > 1') },
    after: { ...count, ...rules('self > 1', 'self < 9') },
    breaks: ['rule-added'],
  },
  { when: 'a rule goes', before: { ...count, ...rules('self > 1') }, after: count },
  {
    when: 'a default is another one',
    before: { ...count, default: 1 },
    after: { ...count, default: 2 },
    breaks: ['default-changed'],
  },
  { when: 'a default goes', before: { ...count, default: 1 }, after: count, breaks: ['default-changed'] },
  {
    when: 'a list becomes a set',
    before: list,
    after: { ...list, 'x-kubernetes-list-type': 'set' },
    breaks: ['merging-changed'],
  },
  {
    when: 'unknown fields are dropped',
    before: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    after: { type: 'object' },
    breaks: ['unknown-fields-dropped'],
  },
  {
    when: 'alternatives are new',
    before: count,
    after: { ...count, anyOf: [{ minimum: 1 }] },
    breaks: ['alternatives-changed'],
  },
  {
    when: 'a field is added',
    before: { type: 'object', properties: {} },
    after: { type: 'object', properties: { a: text } },
  },
  {
    when: 'a field is removed',
    before: { type: 'object', properties: { a: text } },
    after: { type: 'object', properties: {} },
    breaks: ['field-removed'],
  },
  {
    when: 'a field is required',
    before: { type: 'object', properties: { a: text } },
    after: { type: 'object', properties: { a: text }, required: ['a'] },
    breaks: ['required-added'],
  },
  {
    when: 'a required field with a default is added',
    before: { type: 'object' },
    after: { type: 'object', properties: { a: { ...text, default: '' } }, required: ['a'] },
  },
  {
    when: 'a field of a field changes',
    before: { type: 'object', properties: { a: { type: 'object', properties: { b: text } } } },
    after: { type: 'object', properties: { a: { type: 'object', properties: { b: count } } } },
    breaks: ['type-changed'],
  },
  { when: 'items change', before: list, after: { ...list, items: count }, breaks: ['type-changed'] },
  {
    when: 'values of a map change',
    before: map,
    after: { ...map, additionalProperties: count },
    breaks: ['type-changed'],
  },
  { when: 'a map is closed', before: map, after: { type: 'object' }, breaks: ['field-removed'] },
];
