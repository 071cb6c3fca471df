import { objectMetaSchema } from '#lib/apiserver/machinery/object-meta-schema.ts';
import type { Schema } from '#lib/apiserver/machinery/schema.ts';
import { valuesSchemaOf } from '../subschema.ts';
import { type CelType, dyn, listOf, mapOf, scalar } from './types.ts';

const RESERVED: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

const ESCAPES: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/**
 * The name of a field in an expression; `undefined` when the field cannot be named.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/cel/escaping.go
 */
export const escapeName = (name: string): string | undefined => {
  if (!/^[A-Za-z_./-][\w./-]*$/.test(name)) return undefined;
  return RESERVED.has(name) ? `__${name}__` : name.replace(/__|[./-]/g, (part) => ESCAPES[part] ?? part);
};

const text: Schema = { type: 'string' };

const named = (schema: Schema | undefined): boolean => {
  const properties = schema?.properties;
  return properties?.['name']?.type === 'string' && properties['generateName']?.type === 'string';
};

const rootMeta: Schema = {
  type: 'object',
  properties: { name: objectMetaSchema.properties?.['name'] ?? text, generateName: text },
};

const roots = new WeakMap<Schema, Schema>();

/**
 * A schema with what rules may read of any resource: apiVersion, kind, metadata.name and metadata.generateName.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apiserver/schema/cel/model/schemas.go (`WithTypeAndObjectMeta`)
 */
export const withTypeAndMeta = (schema: Schema): Schema => {
  const { properties } = schema;
  if (properties?.['kind']?.type === 'string' && properties['apiVersion']?.type === 'string') {
    if (named(properties['metadata'])) return schema;
  }
  let root = roots.get(schema);
  if (root === undefined) {
    root = { ...schema, properties: { ...properties, kind: text, apiVersion: text, metadata: rootMeta } };
    roots.set(schema, root);
  }
  return root;
};

const formats: Readonly<Record<string, CelType>> = {
  byte: scalar('bytes'),
  duration: scalar('duration'),
  date: scalar('timestamp'),
  'date-time': scalar('timestamp'),
};

const objectType = (schema: Schema): CelType | undefined => {
  const values = valuesSchemaOf(schema);
  if (values !== undefined) {
    const value = declTypeOf(values);
    return value && mapOf(scalar('string'), value);
  }
  const fields = new Map<string, CelType>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const type = declTypeOf(property);
    const escaped = escapeName(name);
    if (type !== undefined && escaped !== undefined) fields.set(escaped, type);
  }
  return { kind: 'object', fields };
};

const listType = ({ items }: Schema): CelType | undefined => {
  const item = items && declTypeOf(items);
  return item && listOf(item);
};

const plain: Readonly<Record<string, CelType>> = {
  boolean: scalar('bool'),
  number: scalar('double'),
  integer: scalar('int'),
};

const compute = (schema: Schema): CelType | undefined => {
  const { type = '', format = '' } = schema;
  if (type === 'array') return listType(schema);
  if (type === 'object') return objectType(schema);
  return type === 'string' ? (formats[format] ?? scalar('string')) : plain[type];
};

const known = new WeakMap<Schema, { readonly type: CelType | undefined }>();

/**
 * The type that rules see; `undefined` for what they cannot see, such as fields that are kept without being known.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/cel/common/schemas.go (`SchemaDeclType`)
 */
export const declTypeOf = (
  schema: Schema,
  isRoot = schema['x-kubernetes-embedded-resource'] === true,
): CelType | undefined => {
  if (schema['x-kubernetes-int-or-string'] === true) return dyn;
  const seen = isRoot ? withTypeAndMeta(schema) : schema;
  let found = known.get(seen);
  if (found === undefined) {
    found = { type: compute(seen) };
    known.set(seen, found);
  }
  return found.type;
};
