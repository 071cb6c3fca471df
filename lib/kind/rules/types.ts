import type { RuleFinding, SchemaRule } from './rule.ts';

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object'];

/** Every value has one type, unless the schema allows any type, or an integer or a string. */
export const typeRequired: SchemaRule = {
  id: 'type-required',
  *check({ schema, restricting }): Iterable<RuleFinding> {
    if (restricting || (schema.type !== undefined && schema.type !== '')) return;
    if (schema['x-kubernetes-int-or-string'] === true) return;
    if (schema['x-kubernetes-preserve-unknown-fields'] === true) return;
    yield {
      message: `has no type; must be one of ${TYPES.join(', ')}`,
      fix: 'set type, x-kubernetes-int-or-string: true or x-kubernetes-preserve-unknown-fields: true',
    };
  },
};

/** The type is a type of OpenAPI other than null. */
export const typeKnown: SchemaRule = {
  id: 'type-known',
  *check({ schema }): Iterable<RuleFinding> {
    const { type } = schema;
    if (type === undefined || type === '' || TYPES.includes(type)) return;
    const fix = type === 'null' ? 'make the field optional instead' : undefined;
    yield { message: `unknown type; must be one of ${TYPES.join(', ')}`, value: type, ...(fix && { fix }) };
  },
};

/** The spec and the status are objects, and are not nullable. */
export const objectPart: SchemaRule = {
  id: 'object-part',
  *check({ schema, path }): Iterable<RuleFinding> {
    if (path !== 'spec' && path !== 'status') return;
    if (schema.type !== 'object') yield { message: 'must be an object', value: schema.type, fix: 'use s.object' };
    if (schema.nullable === true) yield { message: 'must not be nullable', value: true };
  },
};

/** A list has a schema for its items. */
export const itemsRequired: SchemaRule = {
  id: 'items-required',
  *check({ schema, raw, restricting }): Iterable<RuleFinding> {
    if (restricting || schema.type !== 'array' || raw['items'] !== undefined) return;
    yield { message: 'a list needs the schema of its items', fix: 'set items, or use s.list' };
  },
};

/** An object has either known fields or arbitrary names with values of one schema. */
export const fieldsOrValues: SchemaRule = {
  id: 'fields-or-values',
  *check({ schema, restricting }): Iterable<RuleFinding> {
    const { properties = {}, additionalProperties } = schema;
    if (restricting || additionalProperties === undefined || additionalProperties === true) return;
    if (Object.keys(properties).length === 0) return;
    const fix =
      additionalProperties === false
        ? 'leave additionalProperties out: unknown fields are dropped anyway'
        : 'choose one';
    yield { message: 'properties and additionalProperties exclude each other', value: additionalProperties, fix };
  },
};

/**
 * `additionalProperties` has a schema. With `true`, the API server drops the content of objects; `false` has no effect. This
 * rule is stricter than the API server.
 *
 * @see https://github.com/kubernetes/apiextensions-apiserver/blob/master/pkg/apiserver/schema/pruning/algorithm.go
 */
export const valuesSchema: SchemaRule = {
  id: 'values-schema',
  *check({ schema, restricting }): Iterable<RuleFinding> {
    const { additionalProperties, properties = {} } = schema;
    if (restricting || typeof additionalProperties !== 'boolean') return;
    if (!additionalProperties && Object.keys(properties).length > 0) return;
    yield {
      message: 'additionalProperties must be a schema: the API server drops what is inside of undeclared values',
      value: additionalProperties,
      fix: 'give a schema, or use x-kubernetes-preserve-unknown-fields: true',
    };
  },
};

/**
 * Required fields are declared, unless the schema keeps undeclared fields. Otherwise, the API server would drop these fields, and
 * no object would be valid. This rule is stricter than the API server.
 */
export const requiredDeclared: SchemaRule = {
  id: 'required-declared',
  *check({ schema, restricting }): Iterable<RuleFinding> {
    if (restricting || schema['x-kubernetes-preserve-unknown-fields'] === true) return;
    if (schema['x-kubernetes-embedded-resource'] === true || schema.additionalProperties !== undefined) return;
    for (const name of schema.required ?? []) {
      if (!Object.hasOwn(schema.properties ?? {}, name)) {
        yield { message: `requires the field ${name}, which is not among its properties`, value: name };
      }
    }
  },
};
