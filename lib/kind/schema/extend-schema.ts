import type { Fields, ObjectSchema } from '../json-schema/schema-types.ts';
import { mayBeAbsent, schemaOf } from './schema-json.ts';

/**
 * Extends an object schema, with its rules and description, by further fields.
 *
 * @param schema - made by `s.object`, such as the spec of a kind that is there already; it is not changed
 * @param fields - the further properties by name
 * @throws {TypeError} when a field already exists, because readers of the resource would take it for the old one
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
