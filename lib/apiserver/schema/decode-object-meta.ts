import { objectMetaSchema } from '#lib/apiserver/machinery/object-meta-schema.ts';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { goQuote, jsonTypeOf, unmarshalError } from '#lib/apiserver/machinery/text/go-text.ts';
import { valuesSchemaOf } from '#lib/cel/subschema.ts';
import { isPlainObject, type JsonObject, memberOf, setOwn } from '#lib/json.ts';
import { formatCheck } from './formats.ts';

/** The result of decoding metadata. */
export type DecodedMeta =
  | {
      readonly metadata: JsonObject;
      /** Paths below the metadata, such as `labelz`. */
      readonly unknownFields: readonly string[];
    }
  /** The reason why the server cannot decode the metadata, with the text of Go's decoder. */
  | { readonly problem: string };

/** An internal exception that ends the decoding. */
class Undecodable {
  readonly problem: string;
  constructor(problem: string) {
    this.problem = problem;
  }
}

const goTypeOf = (schema: StructuralSchema, path: readonly string[]): string => {
  if (schema.type === 'array') {
    const last = path.at(-1);
    return last === 'finalizers'
      ? '[]string'
      : `[]v1.${last === 'managedFields' ? 'ManagedFieldsEntry' : 'OwnerReference'}`;
  }
  if (schema.type === 'object') return valuesSchemaOf(schema) ? 'map[string]string' : 'v1.ObjectMeta';
  return { integer: 'int64', boolean: 'bool' }[schema.type ?? ''] ?? 'string';
};

interface Walk {
  readonly unknown: string[];
}

interface MetadataPosition {
  readonly schema: StructuralSchema;
  readonly path: readonly string[];
}

const wrong = (value: unknown, { schema, path }: MetadataPosition): Undecodable => {
  const field = path.length === 0 ? undefined : `ObjectMeta.${path.join('.')}`;
  return new Undecodable(unmarshalError(jsonTypeOf(value), { type: goTypeOf(schema, path), field }));
};

const LAYOUT = '2006-01-02T15:04:05Z07:00';

const decodeTime = (value: unknown): unknown => {
  if (typeof value !== 'string') {
    throw new Undecodable(unmarshalError(jsonTypeOf(value), { type: 'string' }));
  }
  if (formatCheck('date-time')?.(value) === true) return value;
  throw new Undecodable(`parsing time ${goQuote(value)} as "${LAYOUT}": cannot parse ${goQuote(value)} as "2006"`);
};

const decodeScalar = (value: unknown, place: MetadataPosition): unknown => {
  const { type, format } = place.schema;
  if (format === 'date-time') return decodeTime(value);
  const fits = type === 'integer' ? Number.isInteger(value) : typeof value === type;
  if (!fits) throw wrong(value, place);
  return value;
};

const isEmpty = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.length === 0;
  if (isPlainObject(value)) return Object.keys(value).length === 0;
  return value === '' || value === null || value === undefined;
};

const decodeObject = (walk: Walk, object: JsonObject, place: MetadataPosition): JsonObject => {
  const { schema, path } = place;
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return object;
  const decoded: Record<string, unknown> = {};
  const values = valuesSchemaOf(schema);
  for (const name of Object.keys(object)) {
    const member = memberOf(schema.properties, name) ?? values;
    if (member === undefined) walk.unknown.push([...path, name].join('.'));
    else {
      const value = decodeValue(walk, object[name], { schema: member, path: values ? path : [...path, name] });
      if (values !== undefined) setOwn(decoded, name, value ?? '');
      else if (!isEmpty(value)) setOwn(decoded, name, value);
    }
  }
  return decoded;
};

const decodeItems = (walk: Walk, list: readonly unknown[], { schema, path }: MetadataPosition): readonly unknown[] => {
  const { items } = schema;
  if (items === undefined) return list;
  const blank = items.type === 'object' ? {} : '';
  return list.map((item, index) => {
    const inside: Walk = { unknown: [] };
    const value = decodeValue(inside, item, { schema: items, path }) ?? blank;
    const from = `${path.join('.')}[${index}]`;
    walk.unknown.push(...inside.unknown.map((text) => from + text.slice(path.join('.').length)));
    return value;
  });
};

const decodeValue = (walk: Walk, value: unknown, place: MetadataPosition): unknown => {
  if (value === null || value === undefined) return null;
  if (place.schema.type === 'object') {
    if (!isPlainObject(value)) throw wrong(value, place);
    return decodeObject(walk, value, place);
  }
  if (place.schema.type !== 'array') return decodeScalar(value, place);
  if (!Array.isArray(value)) throw wrong(value, place);
  return decodeItems(walk, value, place);
};

/**
 * Decodes metadata as the real server does. Drops unknown and empty members. A member of a wrong type is a problem.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apiserver/schema/objectmeta/coerce.go
 */
export const decodeObjectMeta = (value: unknown): DecodedMeta => {
  const walk: Walk = { unknown: [] };
  try {
    const metadata = decodeValue(walk, value, { schema: objectMetaSchema, path: [] });
    return { metadata: isPlainObject(metadata) ? metadata : {}, unknownFields: walk.unknown };
  } catch (error) {
    if (error instanceof Undecodable) return { problem: error.problem };
    throw error;
  }
};
