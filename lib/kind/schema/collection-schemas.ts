import type { Static } from 'typebox';
import type { JsonObject } from '#lib/json.ts';
import { readSchema } from '../json-schema/json-schema.ts';
import type { ListSchemaOptions, ObjectOptions, StringBounds } from '../json-schema/schema-options.ts';
import type {
  AnySchema,
  Fields,
  MapKeys,
  ObjectSchema,
  ObjectWritten,
  Props,
  Schema,
  WithDefault,
} from '../json-schema/schema-types.ts';
import { fillDefaults } from '../value/defaults.ts';
import { mayBeAbsent, schemaOf } from './schema-json.ts';

type ListSchema<I extends AnySchema> = Schema<readonly Static<I>[], readonly Props<I>[]>;

/**
 * An object with declared fields. A field is required unless it has a default or is marked `s.optional`.
 *
 * @param fields - the properties by name
 * @param options - rules over the whole object, number of properties, and a default, which also gets the defaults of the fields
 * @example
 * s.object({ replicas: s.int32({ minimum: 0, default: 1 }), image: s.string({ maxLength: 512 }) })
 */
export const object = <const F extends Fields, const D extends ObjectWritten<F> | undefined = undefined>(
  fields: F,
  options: ObjectOptions & { readonly default?: D } = {},
): WithDefault<ObjectSchema<F>, D> => {
  const { default: ownDefault, ...rest } = options;
  const required = Object.keys(fields).filter((name) => !mayBeAbsent(fields[name] ?? {}));
  const keywords = { type: 'object', properties: fields, ...(required.length === 0 ? {} : { required }) };
  return schemaOf(ownDefault === undefined ? keywords : { ...keywords, default: filled(keywords, ownDefault) }, rest);
};

/**
 * Fills in the defaults within a default. The API server evaluates rules on the default before it fills in the defaults of
 * nested fields.
 */
const filled = (keywords: JsonObject, value: unknown): unknown => fillDefaults(readSchema(keywords), value);

/**
 * An ordered list. One field manager writes and owns the whole list (`x-kubernetes-list-type: atomic`).
 *
 * @param item - the schema of every item
 * @param options - number of items, default
 */
export const list = <I extends AnySchema, const D extends readonly Props<I>[] | undefined = undefined>(
  item: I,
  options: ListSchemaOptions & { readonly default?: D } = {},
): WithDefault<ListSchema<I>, D> =>
  schemaOf({ type: 'array', items: item, 'x-kubernetes-list-type': 'atomic' }, options);

/**
 * A list of distinct scalars; field managers own single items (`x-kubernetes-list-type: set`).
 *
 * @param item - the schema of every item: a string, number or boolean
 * @param options - number of items, default
 */
export const set = <
  I extends Schema<string> | Schema<number> | Schema<boolean>,
  const D extends readonly Props<I>[] | undefined = undefined,
>(
  item: I,
  options: ListSchemaOptions & { readonly default?: D } = {},
): WithDefault<ListSchema<I>, D> => schemaOf({ type: 'array', items: item, 'x-kubernetes-list-type': 'set' }, options);

/**
 * A list of objects that are identified by key fields; field managers own single fields of single items
 * (`x-kubernetes-list-type: map`).
 *
 * @param item - the schema of every item, made by `s.object`
 * @param options - `keys`: scalar fields that are required or have a default; number of items; default
 * @example
 * s.mapList(s.object({ name: s.string({ maxLength: 63 }), port: s.int32() }), { keys: ['name'], maxItems: 16 })
 */
export const mapList = <F extends Fields, const D extends readonly ObjectWritten<F>[] | undefined = undefined>(
  item: ObjectSchema<F>,
  options: ListSchemaOptions & { readonly keys: readonly [MapKeys<F>, ...MapKeys<F>[]]; readonly default?: D },
): WithDefault<ListSchema<ObjectSchema<F>>, D> => {
  const { keys, ...rest } = options;
  const list = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [...keys] };
  return schemaOf({ type: 'array', items: item, ...list }, rest);
};

type StringMap = Readonly<Record<string, string>>;

/**
 * A map from strings to strings, such as labels.
 *
 * @param options - number of entries, bounds of the values, default
 * @example
 * s.stringMap({ maxProperties: 16, values: { maxLength: 63 } })
 */
export const stringMap = <const D extends StringMap | undefined = undefined>(
  options: ObjectOptions & { readonly values?: StringBounds; readonly default?: D } = {},
): WithDefault<Schema<StringMap>, D> => {
  const { values, ...rest } = options;
  return schemaOf({ type: 'object', additionalProperties: { type: 'string', ...values } }, rest);
};
