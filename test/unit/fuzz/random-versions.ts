import * as fc from 'fast-check';
import type { JsonObject } from '#lib/json.ts';
import type { AnySchema } from '#lib/kind/json-schema/schema-types.ts';
import { s } from '#lib/kind/schema/schema.ts';
import type { KindShape, VersionShape } from '#lib/kind/shape.ts';
import { between, type VersionContent } from '#lib/kind/versions/between.ts';

/** How a field of the older version appears in the newer one. */
interface Change {
  readonly type: keyof typeof TYPES;
  readonly how: 'same' | 'renamed' | 'inside' | 'coarser' | 'dropped' | 'added';
}

const TYPES = {
  text: { schema: () => s.string({ maxLength: 20 }), zero: '' },
  count: { schema: () => s.int32({ minimum: 0, maximum: 1000 }), zero: 0 },
  flag: { schema: () => s.boolean(), zero: false },
  list: { schema: () => s.list(s.string({ maxLength: 9 }), { maxItems: 4 }), zero: [] },
  map: { schema: () => s.stringMap({ maxProperties: 4, values: { maxLength: 9 } }), zero: {} },
} satisfies Readonly<Record<string, { readonly schema: () => AnySchema; readonly zero: unknown }>>;

const STEP = 10;

/** A field in both versions: its schemas, and its conversion in both directions. */
interface Field {
  readonly older?: readonly [name: string, schema: AnySchema];
  readonly newer?: readonly [name: string, schema: AnySchema];
  readonly up: (value: unknown) => unknown;
  readonly down: (value: unknown) => unknown;
}

const same = (value: unknown): unknown => value;

const fieldOf = ({ type, how }: Change, index: number): Field => {
  const { schema, zero } = TYPES[type];
  const [old, fresh] = [`old${index}`, `new${index}`] as const;
  const both = { older: [old, schema()] as const, newer: [fresh, schema()] as const, up: same, down: same };
  switch (how) {
    case 'same':
      return { ...both, newer: [old, schema()] };
    case 'renamed':
      return both;
    case 'inside':
      return {
        ...both,
        newer: [fresh, s.object({ value: schema() })],
        up: (value) => ({ value }),
        down: (value) => (value as { readonly value: unknown }).value,
      };
    case 'coarser':
      return {
        older: [old, s.int32({ minimum: 0, maximum: 100 })],
        newer: [fresh, s.int32({ minimum: 0, maximum: 100 * STEP + STEP - 1 })],
        up: (value) => Number(value) * STEP,
        down: (value) => Math.floor(Number(value) / STEP),
      };
    case 'dropped':
      return { older: [old, schema()], up: same, down: () => zero };
    case 'added':
      return { newer: [fresh, schema()], up: () => zero, down: same };
  }
};

/** The error of a conversion function for content that does not fit its schema, so that it is not taken for a defect. */
class OddContentError extends Error {}

type Side = 'older' | 'newer';

const schemaOf = (fields: readonly Field[], side: Side): AnySchema =>
  s.object(Object.fromEntries(fields.flatMap((field) => (field[side] ? [field[side]] : []))));

const moved = (fields: readonly Field[], from: Side, spec: JsonObject): JsonObject => {
  const to = from === 'older' ? 'newer' : 'older';
  return Object.fromEntries(
    fields.flatMap((field) => {
      const name = field[to]?.[0];
      if (name === undefined) return [];
      const value = spec[field[from]?.[0] ?? ''];
      return [[name, from === 'older' ? field.up(value) : field.down(value)] as const];
    }),
  );
};

/** Random kinds with two versions, whose fields are renamed, moved, made finer, added and dropped between the versions. */
export const randomVersions: fc.Arbitrary<KindShape> = fc
  .array(
    fc.record<Change>({
      type: fc.constantFrom('text', 'count', 'flag', 'list', 'map'),
      how: fc.constantFrom('same', 'renamed', 'inside', 'coarser', 'dropped', 'added'),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map((changes) => {
    const fields = changes.map(fieldOf);
    const status = s.object({ done: s.optional(s.boolean()) });
    const older = { version: 'v1alpha1', spec: schemaOf(fields, 'older'), status } as unknown as VersionShape;
    const newer = { version: 'v1beta1', spec: schemaOf(fields, 'newer'), status } as unknown as VersionShape;
    const move =
      (from: Side) =>
      ({ spec, status: said }: VersionContent): VersionContent => {
        try {
          return { spec: moved(fields, from, spec as JsonObject), status: said };
        } catch (cause) {
          throw new OddContentError('this content does not fit its schema', { cause });
        }
      };
    const step = between(older, newer, { up: move('older'), down: move('newer') });
    return { group: 'rand.example.com', kind: 'Box', ...newer, versions: [step] };
  });
