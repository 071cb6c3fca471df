import { isPlainObject, type JsonObject, memberOf } from '#lib/json.ts';
import type { JsonSchema } from '../json-schema/json-schema.ts';
import type { RuleFinding, SchemaRule } from './rule.ts';

const PRESERVE = 'x-kubernetes-preserve-unknown-fields';
const EMBEDDED = 'x-kubernetes-embedded-resource';

/** A field for an integer or a string is neither an object with unknown fields nor an embedded resource. */
export const intOrStringRule: SchemaRule = {
  id: 'int-or-string',
  *check({ schema, restricting }): Iterable<RuleFinding> {
    if (restricting || schema['x-kubernetes-int-or-string'] !== true) return;
    for (const other of [PRESERVE, EMBEDDED] as const) {
      if (schema[other] === true) yield { message: `x-kubernetes-int-or-string excludes ${other}`, value: true };
    }
  },
};

/** The keyword `x-kubernetes-preserve-unknown-fields` is true or absent. */
export const preserveUnknown: SchemaRule = {
  id: 'preserve-unknown-fields',
  *check({ schema }): Iterable<RuleFinding> {
    if (schema[PRESERVE] === false) {
      yield { message: `${PRESERVE} must be true or absent`, value: false, fix: 'leave it out' };
    }
  },
};

/** An embedded resource is an object with declared or unknown fields, without `additionalProperties`, and not within metadata. */
export const embeddedResource: SchemaRule = {
  id: 'embedded-resource',
  *check({ schema, restricting, insideMetadata }): Iterable<RuleFinding> {
    if (restricting || schema[EMBEDDED] !== true) return;
    if (schema.type !== 'object') yield { message: 'an embedded resource must be an object', value: schema.type };
    if (schema.additionalProperties !== undefined) {
      yield { message: 'an embedded resource must not have additionalProperties' };
    }
    if (schema[PRESERVE] !== true && Object.keys(schema.properties ?? {}).length === 0) {
      yield { message: 'an embedded resource needs properties', fix: `declare some, or set ${PRESERVE}: true` };
    }
    if (insideMetadata) yield { message: 'there are no embedded resources in metadata' };
  },
};

const embeddedIn = (schema: JsonSchema, value: unknown): JsonObject[] => {
  const { items, properties = {} } = schema;
  if (Array.isArray(value)) return items ? value.flatMap((item) => embeddedIn(items, item)) : [];
  if (!isPlainObject(value)) return [];
  const inner = Object.entries(properties).flatMap(([name, field]) => embeddedIn(field, value[name]));
  return schema[EMBEDDED] === true ? [value, ...inner] : inner;
};

const isNamed = ({ apiVersion, kind }: JsonObject): boolean =>
  [apiVersion, kind].every((text) => typeof text === 'string' && text !== '');

/** An embedded resource in a default has apiVersion and kind. */
export const embeddedDefault: SchemaRule = {
  id: 'embedded-default',
  *check({ schema, restricting }): Iterable<RuleFinding> {
    if (restricting || schema.default === undefined) return;
    for (const value of embeddedIn(schema, schema.default)) {
      if (isNamed(value)) continue;
      yield {
        message: 'a resource in a default needs apiVersion and kind',
        value,
        fix: 'add them, or drop the default',
      };
    }
  },
};

/** In an embedded resource, `apiVersion` and `kind` are strings, and `metadata` is an object, if they are declared. */
export const embeddedIdentity: SchemaRule = {
  id: 'embedded-identity',
  *check({ schema, restricting }): Iterable<RuleFinding> {
    if (restricting || schema[EMBEDDED] !== true) return;
    const types = { apiVersion: 'string', kind: 'string', metadata: 'object' };
    for (const [name, type] of Object.entries(types)) {
      const field = memberOf(schema.properties, name);
      if (field !== undefined && field.type !== type) {
        yield { at: name, message: `must be of type ${type} in an embedded resource`, value: field.type };
      }
    }
  },
};
