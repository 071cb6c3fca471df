import type { SchemaOptions } from '../json-schema/schema-options.ts';
import type { AnySchema } from '../json-schema/schema-types.ts';

/**
 * Adds internal properties of TypeBox, which control type inference and composition. They are not enumerable, so that they do
 * not appear in JSON. With `~unsafe`, TypeBox accepts a schema of this library as a TypeBox schema with a declared type.
 */
const hide = <T extends object>(target: T, marks: Readonly<Record<string, unknown>>): T => {
  for (const [name, value] of Object.entries(marks)) {
    Object.defineProperty(target, name, { value, enumerable: false, configurable: true, writable: true });
  }
  return target;
};

const withoutUndefined = (value: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));

/**
 * Makes a frozen schema from its keywords and options. The caller declares the types of the schema.
 *
 * @param keywords - the JSON keywords that define the schema
 * @param options - description, bounds, default and rules, as the developer of the kind wrote them
 * @returns plain JSON and the internal properties of TypeBox
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller declares the types of the JSON
export const schemaOf = <S extends AnySchema>(keywords: object, options: SchemaOptions): S => {
  const { validations, ...rest } = options;
  const rules = validations === undefined ? {} : { 'x-kubernetes-validations': validations };
  const json = withoutUndefined({ ...keywords, ...rest, ...rules });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the phantom members exist at compile time only
  return Object.freeze(hide(json, { '~unsafe': null })) as unknown as S;
};

/** Returns a copy of the schema, marked as optional. */
export const asOptional = <S extends AnySchema>(schema: S): S & { '~optional': true } =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- hidden properties are invisible to the compiler
  Object.freeze(hide({ ...schema }, { '~unsafe': null, '~optional': true })) as unknown as S & { '~optional': true };

/** Whether an object may lack this field, because it is marked as optional, or because the API server fills in its default. */
export const mayBeAbsent = (schema: AnySchema): boolean => '~optional' in schema || 'default' in schema;
