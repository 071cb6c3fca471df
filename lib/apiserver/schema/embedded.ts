import {
  type FieldError,
  type FieldPath,
  invalidValue,
  keyPath,
  memberPath,
  required,
} from '#lib/apiserver/machinery/field-error.ts';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { goValue } from '#lib/apiserver/machinery/text/go-text.ts';
import { isKindName } from '#lib/apiserver/machinery/validation/content.ts';
import { memberSchemaOf, valuesSchemaOf } from '#lib/cel/subschema.ts';
import { isPlainObject, type JsonObject, setOwn } from '#lib/json.ts';
import { decodeObjectMeta } from './decode-object-meta.ts';

/** The result of decoding embedded resources. */
export type Embedded =
  | { readonly value: unknown; readonly unknownFields: readonly string[] }
  | { readonly error: FieldError };

const isResource = (schema: StructuralSchema): boolean => schema['x-kubernetes-embedded-resource'] === true;

const known = new WeakMap<StructuralSchema, boolean>();

const hasResources = (schema: StructuralSchema): boolean => {
  let has = known.get(schema);
  if (has === undefined) {
    const values = valuesSchemaOf(schema);
    const parts = [...Object.values(schema.properties ?? {}), ...(values ? [values] : [])];
    has = isResource(schema) || parts.some(hasResources) || (schema.items !== undefined && hasResources(schema.items));
    known.set(schema, has);
  }
  return has;
};

class Refused {
  readonly error: FieldError;
  constructor(error: FieldError) {
    this.error = error;
  }
}

interface Walk {
  readonly unknown: string[];
}

const withMeta = (walk: Walk, object: JsonObject, path: FieldPath): JsonObject => {
  for (const name of ['apiVersion', 'kind']) {
    if (Object.hasOwn(object, name) && typeof object[name] !== 'string') {
      throw new Refused(invalidValue(memberPath(path, name), object[name], 'must be a string'));
    }
  }
  if (!Object.hasOwn(object, 'metadata')) return object;
  const meta = decodeObjectMeta(object['metadata']);
  const at = memberPath(path, 'metadata');
  if ('problem' in meta) throw new Refused(invalidValue(at, object['metadata'], meta.problem));
  walk.unknown.push(...meta.unknownFields.map((name) => `${at}.${name}`));
  return { ...object, metadata: meta.metadata };
};

const coerceMembers = (walk: Walk, object: JsonObject, { schema, path }: EmbeddedPosition): JsonObject => {
  const result: Record<string, unknown> = {};
  for (const name of Object.keys(object)) {
    const member = memberSchemaOf(schema, name);
    const declared = schema.properties !== undefined && Object.hasOwn(schema.properties, name);
    const at = declared ? memberPath(path, name) : keyPath(path, name);
    setOwn(result, name, member ? coerce(walk, object[name], { schema: member, path: at }) : object[name]);
  }
  return result;
};

interface EmbeddedPosition {
  readonly schema: StructuralSchema;
  readonly path: FieldPath;
}

const coerce = (walk: Walk, value: unknown, place: EmbeddedPosition): unknown => {
  const { schema, path } = place;
  if (!hasResources(schema)) return value;
  if (Array.isArray(value)) {
    const { items } = schema;
    return value.map((item, index) =>
      items ? coerce(walk, item, { schema: items, path: keyPath(path, index) }) : item,
    );
  }
  if (!isPlainObject(value)) return value;
  return coerceMembers(walk, isResource(schema) ? withMeta(walk, value, path) : value, place);
};

/**
 * Decodes the metadata of embedded resources, and checks that apiVersion and kind are strings.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apiserver/schema/objectmeta/algorithm.go
 */
export const coerceEmbedded = (value: unknown, schema: StructuralSchema): Embedded => {
  const walk: Walk = { unknown: [] };
  try {
    const coerced = coerce(walk, value, { schema, path: '' });
    return { value: coerced, unknownFields: walk.unknown.toSorted() };
  } catch (error) {
    if (error instanceof Refused) return { error: error.error };
    throw error;
  }
};

const validateApiVersion = (value: unknown, path: FieldPath): FieldError[] => {
  if (value === undefined) return [required(path)];
  if (value === '') return [invalidValue(path, value, 'must not be empty')];
  if (typeof value === 'string' && value.split('/').length <= 2) return [];
  return [invalidValue(path, value, `unexpected GroupVersion string: ${goValue(value).replaceAll('"', '')}`)];
};

const validateKind = (value: unknown, path: FieldPath): FieldError[] => {
  if (value === undefined) return [required(path)];
  if (value === '') return [invalidValue(path, value, 'must not be empty')];
  const problems = isKindName(typeof value === 'string' ? value : '');
  return problems.map((problem) => invalidValue(path, value, problem));
};

const validateResource = (object: JsonObject, path: FieldPath): FieldError[] => [
  ...validateApiVersion(object['apiVersion'], memberPath(path, 'apiVersion')),
  ...validateKind(object['kind'], memberPath(path, 'kind')),
];

const validateMembers = (object: JsonObject, { schema, path }: EmbeddedPosition): FieldError[] =>
  Object.keys(object).flatMap((name) => {
    const member = memberSchemaOf(schema, name);
    if (member === undefined) return [];
    const declared = schema.properties !== undefined && Object.hasOwn(schema.properties, name);
    return validateEmbedded(object[name], member, declared ? memberPath(path, name) : keyPath(path, name));
  });

/**
 * Checks apiVersion and kind of embedded resources. Metadata of embedded resources is only decoded, and not validated.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apiserver/schema/objectmeta/validation.go
 */
export const validateEmbedded = (value: unknown, schema: StructuralSchema, path: FieldPath = ''): FieldError[] => {
  if (!hasResources(schema)) return [];
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.flatMap((item, index) => validateEmbedded(item, items, keyPath(path, index))) : [];
  }
  if (!isPlainObject(value)) return [];
  const own = isResource(schema) ? validateResource(value, path) : [];
  return [...own, ...validateMembers(value, { schema, path })];
};
