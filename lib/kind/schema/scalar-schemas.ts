import type {
  Int64Options,
  IntegerOptions,
  SchemaOptions,
  SecondsOptions,
  StringOptions,
} from '../json-schema/schema-options.ts';
import type { AnySchema, Defaulted, Schema, WithDefault } from '../json-schema/schema-types.ts';
import { asOptional, schemaOf } from './schema-json.ts';

const INT32_MINIMUM = -(2 ** 31);
const INT32_MAXIMUM = 2 ** 31 - 1;

/**
 * A string.
 *
 * @param options - length in characters, pattern in RE2 syntax, format, default
 * @example
 * s.string({ description: 'Image of the main container', minLength: 1, maxLength: 512 })
 */
export const string = <const D extends string | undefined = undefined>(
  options: StringOptions & { readonly default?: D } = {},
): WithDefault<Schema<string>, D> => schemaOf({ type: 'string' }, options);

/**
 * A whole number of 32 bits, the preferred integer of Kubernetes APIs.
 *
 * @param options - inclusive bounds; by default, the smallest and the largest number of 32 bits; default
 * @example
 * s.int32({ description: 'How many pods to run', minimum: 0, maximum: 10_000, default: 1 })
 */
export const int32 = <const D extends number | undefined = undefined>(
  options: IntegerOptions & { readonly default?: D } = {},
): WithDefault<Schema<number>, D> =>
  schemaOf({ type: 'integer', format: 'int32', minimum: INT32_MINIMUM, maximum: INT32_MAXIMUM }, options);

/**
 * A whole number of 64 bits. By default, its range is ±(2^53 − 1), in which JavaScript represents every whole number exactly.
 *
 * @param options - inclusive bounds; by default, the ends of this range; default
 * @example
 * s.int64({ description: 'How often a pod was started', minimum: 0 })
 */
export const int64 = <const D extends number | undefined = undefined>(
  options: Int64Options & { readonly default?: D } = {},
): WithDefault<Schema<number>, D> =>
  schemaOf(
    { type: 'integer', format: 'int64', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    options,
  );

/**
 * A duration in whole seconds. By convention the name of the field ends in `Seconds`.
 *
 * @param options - inclusive bounds in seconds, by default 0 and 2147483647; default
 * @example
 * s.object({ sleepSeconds: s.durationSeconds({ maximum: 604_800, default: 0 }) })
 * @see https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#units
 */
export const durationSeconds = <const D extends number | undefined = undefined>(
  options: SecondsOptions & { readonly default?: D } = {},
): WithDefault<Schema<number>, D> =>
  schemaOf({ type: 'integer', format: 'int32', minimum: 0, maximum: INT32_MAXIMUM }, options);

/** A boolean. Consider `s.enum` with named values instead, because a later version can add a third value. */
export const boolean = <const D extends boolean | undefined = undefined>(
  options: SchemaOptions & { readonly default?: D } = {},
): WithDefault<Schema<boolean>, D> => schemaOf({ type: 'boolean' }, options);

/**
 * A string with a fixed set of allowed values, by convention in CamelCase.
 *
 * @param values - the allowed strings, at least one
 * @param options - description, default
 * @example
 * s.enum(['Rollback', 'Pause'], { default: 'Rollback' })
 */
export const oneOf = <const V extends string, const D extends NoInfer<V> | undefined = undefined>(
  values: readonly [V, ...V[]],
  options: SchemaOptions & { readonly default?: D } = {},
): WithDefault<Schema<V>, D> => schemaOf({ type: 'string', enum: [...values] }, options);

/**
 * A field that may be absent. A field with a default does not need `s.optional`. `Type.Optional` of TypeBox has the same
 * effect.
 *
 * @param schema - the schema of the field
 * @example
 * s.object({ selector: s.optional(s.stringMap()) })
 */
export const optional = <S extends AnySchema>(schema: S): S & { '~optional': true } => asOptional(schema);

/** A schema as plain JSON. */
export type RawSchema = Readonly<Record<string, unknown>>;

/**
 * A hand-written schema with a declared type, for schemas that the other builders cannot express. The schema is checked when the
 * kind is compiled.
 *
 * @typeParam Value - the type of the values
 * @param json - the structural schema; if it has a `default`, users may leave out the field
 * @example
 * s.unsafe<PodTemplateSpec>({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true })
 */
export function unsafe<Value>(json: RawSchema & { readonly default: Value }): Schema<Value> & Defaulted;
export function unsafe<Value>(json: RawSchema & { readonly default?: never }): Schema<Value>;
export function unsafe<Value>(json: RawSchema): Schema<Value> {
  return schemaOf(json, {});
}
