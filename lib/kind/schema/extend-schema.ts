import type { Fields, ObjectSchema } from '../json-schema/schema-types.ts';
import { mayBeAbsent, schemaOf } from './schema-json.ts';

/**
 * Adds fields to an object schema. The result keeps the rules and the description of the schema.
 *
 * @param schema - a schema made by `s.object`, such as the spec of an existing kind; it is not changed
 * @param fields - the additional properties by name
 * @throws {TypeError} when a field already exists, because readers of the resource would confuse the new field with the old
 * field
 * @example
 * s.extend(podSet.spec, { tier: s.enum(['web', 'batch'], { default: 'web', description: 'What the pods are for.' }) })
 */
export const extend = <const F extends Fields, const G extends Fields>(
  schema: ObjectSchema<F>,
  fields: G,
): ObjectSchema<F & G> => {
  const { properties } = schema;
  const twice = Object.keys(fields).filter((name) => Object.hasOwn(properties, name));
  if (twice.length > 0) {
    const known = Object.keys(properties).toSorted().join(', ');
    throw new TypeError(
      `Cannot extend the schema: it has ${twice.join(', ')} already (its fields: ${known}); choose another name`,
    );
  }
  const all: Fields = { ...properties, ...fields };
  const required = Object.keys(all).filter((name) => !mayBeAbsent(all[name] ?? {}));
  return schemaOf({ ...schema, properties: all, ...(required.length > 0 && { required }) }, {});
};
