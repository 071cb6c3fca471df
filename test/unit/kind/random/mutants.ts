import * as fc from 'fast-check';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { readSchema } from '#lib/kind/json-schema/json-schema.ts';
import type { KindShape } from '#lib/kind/shape.ts';

type Node = Record<string, unknown>;

/** Every schema within a schema, as starting points of mutations. */
const nodesOf = (schema: Node): Node[] => {
  const { properties, items, additionalProperties: values } = schema;
  const inner = [...(isPlainObject(properties) ? Object.values(properties) : []), items, values];
  return [schema, ...inner.filter(isPlainObject).flatMap((each) => nodesOf(each as Node))];
};

const set =
  (keywords: JsonObject) =>
  (node: Node): void =>
    void Object.assign(node, keywords);
const drop =
  (...keywords: readonly string[]) =>
  (node: Node): void => {
    for (const keyword of keywords) delete node[keyword];
  };
const RULES = 'x-kubernetes-validations';

/** Mutations. Most make a schema that no server accepts; accepted ones are ignored. */
const SLIPS: readonly (readonly [name: string, slip: (node: Node) => void])[] = [
  ['no type', drop('type', 'x-kubernetes-int-or-string', 'x-kubernetes-preserve-unknown-fields')],
  ['an unknown type', set({ type: 'float' })],
  ['the type null', set({ type: 'null' })],
  ['a list of nothing', set({ type: 'array', items: undefined })],
  ['another type', set({ type: 'boolean' })],
  ['a look-ahead', set({ pattern: '^(?!x)' })],
  ['a look-behind', set({ pattern: '(?<!a)b' })],
  ['a back-reference', set({ pattern: '^(a)\\1$' })],
  ['an open bracket', set({ pattern: '[a' })],
  ['a count too large', set({ pattern: 'a{2000}' })],
  ['a reference', set({ $ref: '#/definitions/a' })],
  ['definitions', set({ definitions: { a: { type: 'string' } } })],
  ['dependencies', set({ dependencies: { a: ['b'] } })],
  ['pattern properties', set({ patternProperties: { a: { type: 'string' } } })],
  ['unique items', set({ uniqueItems: true })],
  ['a default of another type', set({ default: { no: { such: 'value' } } })],
  ['a default that is a number', set({ default: 0.5 })],
  ['fields and values', set({ properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } })],
  ['a type in an alternative', set({ oneOf: [{ type: 'string' }] })],
  ['a description in an alternative', set({ not: { description: 'x' } })],
  ['a list type of none', set({ 'x-kubernetes-list-type': 'bag' })],
  ['a list type elsewhere', set({ 'x-kubernetes-list-type': 'set', type: 'string' })],
  ['a map without keys', set({ type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map' })],
  ['keys without a map', set({ 'x-kubernetes-list-map-keys': ['name'] })],
  ['a map type of none', set({ 'x-kubernetes-map-type': 'loose' })],
  ['unknown fields dropped', set({ 'x-kubernetes-preserve-unknown-fields': false })],
  ['an embedded nothing', set({ 'x-kubernetes-embedded-resource': true })],
  ['a number and anything', set({ 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true })],
  ['a blank rule', set({ [RULES]: [{ rule: ' ' }] })],
  ['a rule with a slip', set({ [RULES]: [{ rule: 'self ==' }] })],
  ['a rule that is no condition', set({ [RULES]: [{ rule: '1 + 1' }] })],
  ['a rule over nothing', set({ [RULES]: [{ rule: 'that == 1' }] })],
  ['a rule over a field that is not there', set({ [RULES]: [{ rule: 'self.noSuchField == 1' }] })],
  ['a rule with a function that is not there', set({ [RULES]: [{ rule: 'fly(self)' }] })],
  ['a rule of other types', set({ [RULES]: [{ rule: "1 == 'a'" }] })],
  ['a reason that is none', set({ [RULES]: [{ rule: 'true', reason: 'Because' }] })],
  ['a path to nowhere', set({ [RULES]: [{ rule: 'true', fieldPath: '.no.such' }] })],
  ['a message of lines', set({ [RULES]: [{ rule: 'true', message: 'a\nb' }] })],
  ['a message that is a number', set({ [RULES]: [{ rule: 'true', messageExpression: '1' }] })],
  ['an old value for nothing', set({ [RULES]: [{ rule: 'true', optionalOldSelf: true }] })],
  ['a text for a number', set({ maxLength: '5' })],
  ['a length of less than nothing', set({ maxItems: -1 })],
];

/** A kind with a mutation somewhere in its spec. */
export interface Mutant {
  readonly slip: string;
  readonly shape: KindShape;
}

/** Mutations at random places of some kinds. */
export const mutantsOf = (shapes: readonly KindShape[]): fc.Arbitrary<Mutant> =>
  fc.tuple(fc.constantFrom(...shapes), fc.constantFrom(...SLIPS), fc.nat(10_000)).map(([shape, [slip, apply], at]) => {
    const spec = structuredClone(readSchema({ ...shape.spec })) as Node;
    const nodes = nodesOf(spec);
    apply(nodes[at % nodes.length] ?? spec);
    return { slip, shape: { ...shape, spec } };
  });
