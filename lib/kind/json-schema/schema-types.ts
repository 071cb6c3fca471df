import type { Static, TOptional, TSchema, TUnsafe } from 'typebox';

/**
 * A structural schema: plain JSON for the CustomResourceDefinition, with two TypeScript types.
 *
 * The schema is also a TypeBox schema; its `Static<S>` is `Value`. Schemas of this library and of TypeBox may contain each other.
 *
 * @typeParam Value - the value that the API server stores: fields with a default are present
 * @typeParam Written - the value that a user writes: fields with a default may be absent
 */
export interface Schema<Value, Written = Value> extends TUnsafe<Value> {
  /** The type of the written value. This member does not exist at run time. */
  readonly '~written': Written;
}

/** Any schema: of this library, of TypeBox, or hand-written. The content of the schema is checked when the kind is compiled. */
export type AnySchema = TSchema & object;

/** The properties of an object, by name. */
export type Fields = Readonly<Record<string, AnySchema>>;

/** Marks a schema with a `default`: a user may omit the field, and the stored object contains it. */
export interface Defaulted {
  /** The JSON value that the API server fills in. */
  readonly default: unknown;
}

/** `S` marked as {@link Defaulted} if a default is given, otherwise `S` itself. */
export type WithDefault<S, Default> = [Default] extends [undefined] ? S : S & Defaulted;

type OptionalInValue<S> = S extends Defaulted ? false : S extends TOptional ? true : false;
type OptionalInWritten<S> = S extends Defaulted | TOptional ? true : false;

/** Merges an intersection into one object type, so that editors show a readable type. */
type Flat<T> = { [K in keyof T]: T[K] } & {};

/** The stored form of an object with these fields. */
export type ObjectValue<F extends Fields> = Flat<
  { readonly [K in keyof F as OptionalInValue<F[K]> extends true ? never : K]: Static<F[K]> } & {
    readonly [K in keyof F as OptionalInValue<F[K]> extends true ? K : never]?: Static<F[K]>;
  }
>;

/** The written form of an object with these fields. */
export type ObjectWritten<F extends Fields> = Flat<
  { readonly [K in keyof F as OptionalInWritten<F[K]> extends true ? never : K]: Props<F[K]> } & {
    readonly [K in keyof F as OptionalInWritten<F[K]> extends true ? K : never]?: Props<F[K]>;
  }
>;

/** The schema of an object with known fields; `properties` can be reused in other schemas. */
export interface ObjectSchema<F extends Fields> extends Schema<ObjectValue<F>, ObjectWritten<F>> {
  readonly type: 'object';
  readonly properties: F;
}

/** The names of the fields that can be keys of a map list. These fields are scalar, and always present in the stored object. */
export type MapKeys<F extends Fields> = {
  [K in keyof F]: OptionalInValue<F[K]> extends true
    ? never
    : Static<F[K]> extends string | number | boolean
      ? K
      : never;
}[keyof F] &
  string;

/**
 * The type of the values that users write for a schema. Fields with a default and optional fields may be absent.
 *
 * For a schema that another library built, this type equals `Static<S>`.
 *
 * @typeParam S - the schema
 */
export type Props<S extends TSchema> = S extends { readonly '~written': infer Written } ? Written : Static<S>;
