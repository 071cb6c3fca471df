import { type CelInput, type CelValue, celList, celMap, isCelList } from '@bufbuild/cel';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { isPlainObject, type JsonObject, memberOf } from '#lib/json.ts';
import { declTypeOf, escapeName, withTypeAndMeta } from './decl-type.ts';
import { valuesSchemaOf } from './subschema.ts';
import { durationOf, timestampOf } from './time.ts';

/** The schemas of sets and map lists in objects. The schema decides how items are compared and added. */
const listSchemas = new WeakMap<object, StructuralSchema>();

/** The schema of a set or map list in an object; `undefined` for other values, and for lists that an expression created. */
export const schemaOfList = (list: CelValue): StructuralSchema | undefined =>
  typeof list === 'object' && list !== null ? listSchemas.get(list) : undefined;

interface Fields {
  /** The JSON name of each field, by the escaped name that expressions use. */
  readonly names: ReadonlyMap<string, string>;
  schemaOf(name: string): StructuralSchema | undefined;
}

const known = new WeakMap<StructuralSchema, Fields>();

/** The fields of an object that expressions can read. */
const fieldsOf = (schema: StructuralSchema): Fields => {
  let fields = known.get(schema);
  if (fields === undefined) {
    const names = new Map<string, string>();
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const escaped = escapeName(name);
      if (escaped !== undefined && declTypeOf(property) !== undefined) names.set(escaped, name);
    }
    fields = { names, schemaOf: (name) => memberOf(schema.properties, name) };
    known.set(schema, fields);
  }
  return fields;
};

/** An object as a map. A value is converted when an expression reads it. */
class ObjectView implements ReadonlyMap<string, CelInput> {
  readonly #object: JsonObject;
  readonly #names: () => readonly (readonly [key: string, name: string])[];
  readonly #nameOf: (key: string) => string | undefined;
  readonly #schemaOf: (name: string) => StructuralSchema | undefined;

  constructor(object: JsonObject, schema: StructuralSchema) {
    this.#object = object;
    const values = valuesSchemaOf(schema);
    if (values !== undefined) {
      this.#names = () => Object.keys(object).map((name) => [name, name] as const);
      this.#nameOf = (key) => (Object.hasOwn(object, key) ? key : undefined);
      this.#schemaOf = () => values;
      return;
    }
    const fields = fieldsOf(schema);
    this.#names = () => [...fields.names].filter(([, name]) => Object.hasOwn(object, name));
    this.#nameOf = (key) => {
      const name = fields.names.get(key);
      return name !== undefined && Object.hasOwn(object, name) ? name : undefined;
    };
    this.#schemaOf = (name) => fields.schemaOf(name);
  }

  #value(name: string): CelInput {
    return celValueOf(this.#object[name], this.#schemaOf(name) ?? {});
  }

  get size(): number {
    return this.#names().length;
  }

  get(key: string): CelInput | undefined {
    const name = this.#nameOf(key);
    return name === undefined ? undefined : this.#value(name);
  }

  has(key: string): boolean {
    return this.#nameOf(key) !== undefined;
  }

  keys(): MapIterator<string> {
    return new Map(this.#names()).keys();
  }

  values(): MapIterator<CelInput> {
    return new Map(this.#entryList()).values();
  }

  entries(): MapIterator<[string, CelInput]> {
    return new Map(this.#entryList()).entries();
  }

  #entryList(): [string, CelInput][] {
    return this.#names().map(([key, name]) => [key, this.#value(name)]);
  }

  forEach(callback: (value: CelInput, key: string, map: ReadonlyMap<string, CelInput>) => void): void {
    for (const [key, value] of this.#entryList()) callback(value, key, this);
  }

  [Symbol.iterator](): MapIterator<[string, CelInput]> {
    return this.entries();
  }
}

const listValue = (list: readonly unknown[], schema: StructuralSchema): CelInput => {
  const { items = {} } = schema;
  const value = celList(list.map((item) => celValueOf(item, items)));
  if (schema['x-kubernetes-list-type'] === 'set' || schema['x-kubernetes-list-type'] === 'map') {
    listSchemas.set(value, schema);
  }
  return value;
};

const textValue = (text: string, { format }: StructuralSchema): CelInput => {
  if (format === 'byte') return new Uint8Array(Buffer.from(text, 'base64'));
  if (format === 'duration') return durationOf(text) ?? text;
  return format === 'date' || format === 'date-time' ? (timestampOf(text) ?? text) : text;
};

const isInt = ({ type }: StructuralSchema): boolean => type !== 'number';

const objectValue = (object: JsonObject, schema: StructuralSchema): CelInput => {
  const seen = schema['x-kubernetes-embedded-resource'] === true ? withTypeAndMeta(schema) : schema;
  return celMap(new ObjectView(object, seen));
};

/**
 * Converts a JSON value to a CEL value according to its schema. Whole numbers become int, unless the schema has the type
 * `number`. Other numbers become double. Strings with the format byte, duration, date or date-time get the type of the format, if
 * they are valid.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/cel/common/values.go
 */
export const celValueOf = (value: unknown, schema: StructuralSchema): CelInput => {
  if (typeof value === 'string')
    return schema['x-kubernetes-int-or-string'] === true ? value : textValue(value, schema);
  if (typeof value === 'number') return Number.isInteger(value) && isInt(schema) ? BigInt(value) : value;
  if (typeof value === 'boolean') return value;
  if (Array.isArray(value)) return listValue(value, schema);
  return isPlainObject(value) ? objectValue(value, schema) : null;
};

/** Converts a whole object to a CEL value. Expressions can read its apiVersion, kind, and names in the metadata. */
export const celRootOf = (value: unknown, schema: StructuralSchema): CelInput =>
  isPlainObject(value) ? celMap(new ObjectView(value, withTypeAndMeta(schema))) : celValueOf(value, schema);

/** The items of a list; empty for other values. */
export const itemsOf = (value: CelValue): CelValue[] => (isCelList(value) ? [...value] : []);
