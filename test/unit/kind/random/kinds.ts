import * as fc from 'fast-check';
import type { AnySchema } from '#lib/kind/json-schema/schema-types.ts';
import { s } from '#lib/kind/schema/schema.ts';
import type { KindShape } from '#lib/kind/shape.ts';
import { schemasAndValues } from '../schema-arbitrary.ts';

const word = fc.constantFrom('Always', 'Never', 'Sometimes');
const bound = fc.integer({ min: 1, max: 40 });

const text = fc
  // Each of the patterns matches a text of two characters.
  .tuple(
    fc.integer({ min: 2, max: 40 }),
    fc.constantFrom(undefined, '^[a-z]*$', '^(?:a|b)+$', '\\d{2}', '[[:alpha:]]|x'),
    fc.boolean(),
  )
  .map(([maxLength, pattern, ruled]) =>
    s.string({
      maxLength,
      ...(pattern !== undefined && !pattern.includes('[[') && { pattern }),
      ...(ruled && { validations: [{ rule: "!self.startsWith('x') || size(self) < 9", message: 'must not be long' }] }),
    }),
  );
const count = fc.tuple(bound, fc.boolean(), fc.boolean()).map(([maximum, filled, ruled]) =>
  s.int32({
    minimum: 0,
    maximum,
    ...(filled && { default: maximum }),
    ...(ruled && { validations: [{ rule: 'self >= 0', message: 'must not be negative' }] }),
  }),
);
const leaf: fc.Arbitrary<AnySchema> = fc.oneof(
  text,
  count,
  fc.boolean().map((value) => s.boolean({ default: value })),
  word.map((value) => s.enum(['Always', 'Never', 'Sometimes'], { default: value })),
  fc.constantFrom<AnySchema>(
    s.int64(),
    s.durationSeconds({ maximum: 60 }),
    s.intOrString({ default: '25%' }),
    s.quantity({ default: '64Mi' }),
    s.objectName(),
    s.secretName(),
    s.labelSelector(),
    s.podTemplate(),
    s.conditions(),
    s.stringMap({ maxProperties: 9, values: { maxLength: 63 } }),
    s.string({ maxLength: 40, format: 'date-time' }),
  ),
);

const fieldName = fc.constantFrom(
  'a',
  'size',
  'max-surge',
  'namespace',
  'x.y/z',
  'in',
  '__under',
  'apiVersion',
  'metadata',
);

const schema = fc.letrec<{ any: AnySchema }>((tie) => {
  const fields = fc.dictionary(
    fieldName,
    fc.tuple(tie('any'), fc.boolean()).map(([one, isOptional]) => (isOptional ? s.optional(one) : one)),
    { maxKeys: 4 },
  );
  const object = fields.map((each) => s.object(each));
  const list = fc.tuple(tie('any'), bound).map(([item, maxItems]) => s.list(item, { maxItems, default: [] }));
  const set = fc.tuple(text, bound).map(([item, maxItems]) => s.set(item, { maxItems }));
  const mapList = fc.tuple(tie('any'), bound).map(([value, maxItems]) =>
    s.mapList(s.object({ name: s.string({ maxLength: 9 }), value }), {
      keys: ['name'],
      maxItems,
      validations: [{ rule: "self.all(item, item.name != 'all')", message: 'all is reserved' }],
    }),
  );
  const written = schemasAndValues.map((given) => s.unsafe<unknown>(given.schema));
  return { any: fc.oneof({ maxDepth: 3, withCrossShrink: true }, leaf, object, list, set, mapList, written) };
}).any;

const parts = fc.dictionary(fieldName, schema, { minKeys: 1, maxKeys: 5 });

/** Random shapes of kinds, most of which compile: every builder, hand-written schemas, rules, defaults, odd names. */
export const randomShapes: fc.Arbitrary<KindShape> = fc.record({
  group: fc.constantFrom('rand.example.com', 'a.b', 'x-1.example.org'),
  version: fc.constantFrom('v1', 'v1alpha1', 'v2beta3'),
  kind: fc.constantFrom('Probe', 'Box', 'City', 'X'),
  scope: fc.constantFrom('Namespaced', 'Cluster'),
  name: fc.constantFrom({ maxLength: 50 }, { maxLength: 253, isLabel: true }),
  shortNames: fc.constantFrom<string[]>([], ['prb']),
  columns: fc.constantFrom([], [{ name: 'Age', type: 'date' as const, jsonPath: '.metadata.creationTimestamp' }]),
  spec: parts.map((fields) => s.object(fields)),
  status: parts.map((fields) => s.object(fields)),
});
