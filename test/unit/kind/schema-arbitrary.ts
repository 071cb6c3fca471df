import * as fc from 'fast-check';
import { type JsonSchema, readSchema } from '#lib/kind/json-schema/json-schema.ts';

const range = (low: string, high: string, [min, middle, max]: readonly [number, number, number] = [0, 1, 4]) =>
  fc.record(
    { [low]: fc.integer({ min, max: middle }), [high]: fc.integer({ min: middle, max }) },
    { requiredKeys: [] },
  );
const wide = [-6, 0, 6] as const;
const word = fc.constantFrom('', 'a', 'ab', 'ba1', 'abcde', '12', '\u{1F600}', 'é');
const integer = fc.integer({ min: -6, max: 6 });

const typed =
  (keywords: object) =>
  <T extends object>(options: T) => ({ ...keywords, ...options });

const restriction = fc.oneof(
  range('minimum', 'maximum', wide),
  range('minLength', 'maxLength'),
  fc.record({ enum: fc.array(fc.oneof(integer, word), { minLength: 1, maxLength: 3 }) }),
  fc.constantFrom({ required: ['a'] }, { required: ['b'] }, { properties: { a: { minimum: 1 } } }, { multipleOf: 2 }),
);
const alternatives = fc.record(
  {
    allOf: fc.array(restriction, { minLength: 1, maxLength: 2 }),
    anyOf: fc.array(restriction, { minLength: 1, maxLength: 2 }),
    oneOf: fc.array(restriction, { minLength: 1, maxLength: 2 }),
    not: restriction,
  },
  { requiredKeys: [] },
);
const patterns = fc.record(
  { pattern: fc.constantFrom('^[a-z]*$', 'b', '^.$', '\\d', '^(?:a|b)+$') },
  { requiredKeys: [] },
);

const leaf = fc.oneof(
  fc
    .tuple(range('minLength', 'maxLength'), patterns)
    .map(([length, pattern]) => ({ type: 'string', ...length, ...pattern })),
  range('minimum', 'maximum', wide).map(typed({ type: 'integer' })),
  range('minimum', 'maximum', wide).map(typed({ type: 'number' })),
  fc.constant({ type: 'boolean' }),
  fc.constant({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }),
  fc.uniqueArray(word, { minLength: 1, maxLength: 3 }).map((values) => ({ type: 'string', enum: values })),
);

const name = fc.constantFrom('a', 'b', 'c');
const schemas = fc.letrec<{ schema: Readonly<Record<string, unknown>> }>((tie) => {
  const inner = tie('schema');
  const object = fc
    .tuple(
      fc.dictionary(name, inner, { maxKeys: 3 }),
      fc.uniqueArray(name, { maxLength: 1 }),
      range('minProperties', 'maxProperties'),
    )
    .map(([properties, required, count]) => ({ type: 'object', properties, required, ...count }));
  const map = inner.map((values) => ({ type: 'object', additionalProperties: values }));
  const list = fc
    .tuple(inner, range('minItems', 'maxItems'))
    .map(([items, count]) => ({ type: 'array', items, ...count }));
  const node = fc.oneof({ maxDepth: 3, withCrossShrink: true }, leaf, object, map, list);
  return {
    schema: fc
      .tuple(node, fc.oneof({ weight: 9, arbitrary: fc.constant({}) }, { weight: 3, arbitrary: alternatives }))
      .map(([a, b]) => ({ ...b, ...a })),
  };
}).schema;

const anything = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.oneof(integer, word, fc.boolean(), fc.constantFrom(null, 0.5, -0, 2 ** 53)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ),
})).value;

/** A value that is likely to be valid. */
const valueFor = (schema: JsonSchema): fc.Arbitrary<unknown> => {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.type === 'string') return word;
  if (schema.type === 'integer' || schema.type === 'number') return integer;
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'array') return fc.array(mostly(schema.items ?? {}), { maxLength: 4 });
  if (typeof schema.additionalProperties === 'object') {
    return fc.dictionary(name, mostly(schema.additionalProperties), { maxKeys: 3 });
  }
  const fields = Object.entries(schema.properties ?? {}).map(([key, field]) => [key, mostly(field)]);
  return schema.type === 'object'
    ? fc.record(Object.fromEntries(fields), { requiredKeys: [] })
    : fc.oneof(integer, word);
};
const mostly = (schema: JsonSchema): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 9, arbitrary: valueFor(schema) }, { weight: 1, arbitrary: anything });

/** A schema and a value for it. */
export interface SchemaAndValue {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly value: unknown;
}

/** Random structural schemas of all types, with alternatives, and values that are likely to be valid. */
export const schemasAndValues: fc.Arbitrary<SchemaAndValue> = schemas.chain((schema) =>
  mostly(readSchema(schema)).map((value) => ({ schema, value })),
);
