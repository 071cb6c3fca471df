import { objectMetaSchema } from '#lib/apiserver/machinery/object-meta-schema.ts';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { valuesSchemaOf } from './subschema.ts';
import { type CelType, dyn, listOf, mapOf, scalar } from './typing/types.ts';

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
 * Escapes a field name for use in expressions; `undefined` for a name that expressions cannot use.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/cel/escaping.go
 */
export const escapeName = (name: string): string | undefined => {
  if (!/^[A-Za-z_./-][\w./-]*$/.test(name)) return undefined;
  return RESERVED.has(name) ? `__${name}__` : name.replace(/__|[./-]/g, (part) => ESCAPES[part] ?? part);
};

const text: StructuralSchema = { type: 'string' };

const named = (schema: StructuralSchema | undefined): boolean => {
  const properties = schema?.properties;
  return properties?.['name']?.type === 'string' && properties['generateName']?.type === 'string';
};

const rootMeta: StructuralSchema = {
  type: 'object',
  properties: { name: objectMetaSchema.properties?.['name'] ?? text, generateName: text },
};

const roots = new WeakMap<StructuralSchema, StructuralSchema>();

/**
 * Returns the schema with the members that rules may read in every object: apiVersion, kind, metadata.name and
 * metadata.generateName.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apiserver/schema/cel/model/schemas.go (`WithTypeAndObjectMeta`)
 */
export const withTypeAndMeta = (schema: StructuralSchema): StructuralSchema => {
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

const objectType = (schema: StructuralSchema): CelType | undefined => {
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

const listType = ({ items }: StructuralSchema): CelType | undefined => {
  const item = items && declTypeOf(items);
  return item && listOf(item);
};

const plain: Readonly<Record<string, CelType>> = {
  boolean: scalar('bool'),
  number: scalar('double'),
  integer: scalar('int'),
};

const compute = (schema: StructuralSchema): CelType | undefined => {
  const { type = '', format = '' } = schema;
  if (type === 'array') return listType(schema);
  if (type === 'object') return objectType(schema);
  return type === 'string' ? (formats[format] ?? scalar('string')) : plain[type];
};

const known = new WeakMap<StructuralSchema, { readonly type: CelType | undefined }>();

/**
 * The CEL type of a schema; `undefined` for values that rules cannot access, such as preserved unknown fields.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/cel/common/schemas.go (`SchemaDeclType`)
 */
export const declTypeOf = (
  schema: StructuralSchema,
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
