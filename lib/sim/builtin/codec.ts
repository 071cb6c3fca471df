import type { JsonObject } from '#lib/kind/json.ts';
import { isPlainObject } from '#lib/kind/json.ts';
import { notImplemented } from '#lib/sim/machinery/status.ts';
import { isAlwaysWritten, isPointer } from './go-types.ts';
import { type Definition, definitionOf } from './openapi.ts';
import { type Scalar, scalars, WrongType, wrongType } from './scalars.ts';
import { isUnsupported } from './unsupported.ts';

/** Where the reader is, and what it has found. */
interface Reading {
  readonly unknownFields: string[];
  /** The Go struct and the path of the field that is being read, without indices, for messages. */
  where: string;
}

/** Reads a value of one type and writes it as the server would. `path` is for messages. */
type Read = (value: unknown, path: string, reading: Reading) => unknown;

/** What becomes of a field that is absent, null or empty. */
interface Emptiness {
  /** What is written for Go's zero value; `undefined` when the field is left out. */
  readonly zero: unknown;
  /** Whether empty values that were sent are treated as absent; not so for pointers. */
  readonly isDropped: boolean;
}

interface Field {
  readonly read: Read;
  readonly empty: Emptiness;
  readonly isStruct: boolean;
  readonly isUnsupported: boolean;
}

const isEmpty = (value: unknown): boolean => {
  if (value === '' || value === 0 || value === false || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isPlainObject(value) && Object.keys(value).length === 0;
};

const readStruct = (type: string, fields: ReadonlyMap<string, Field>): Read => {
  const structName = type.slice(type.lastIndexOf('.') + 1);
  return (value, path, reading) => {
    if (!isPlainObject(value)) throw wrongType(value, type.split('.').slice(-2).join('.'));
    for (const name in value) if (!fields.has(name)) reading.unknownFields.push(childOf(path, name));
    const result: Record<string, unknown> = {};
    for (const [name, field] of fields) {
      reading.where = `${structName}.${childOf(path, name)}`;
      const read = readField(field, Object.hasOwn(value, name) ? value[name] : undefined, {
        path: childOf(path, name),
        reading,
      });
      if (read !== undefined) result[name] = read;
    }
    return result;
  };
};

const childOf = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

const readField = (
  field: Field,
  value: unknown,
  { path, reading }: { readonly path: string; readonly reading: Reading },
): unknown => {
  if (value === undefined || value === null) {
    return field.isStruct && field.empty.zero !== undefined ? field.read({}, path, reading) : field.empty.zero;
  }
  const read = field.read(value, path, reading);
  if (field.empty.isDropped && isEmpty(read)) return field.empty.zero;
  if (field.isUnsupported) throw notImplemented(`the field "${path}"`);
  return read;
};

const readList =
  (item: Read, zero: unknown): Read =>
  (value, path, reading) => {
    if (!Array.isArray(value)) throw wrongType(value, '[]');
    return value.map((member, i) =>
      member === null || member === undefined
        ? isPlainObject(zero)
          ? item({}, `${path}[${i}]`, reading)
          : zero
        : item(member, `${path}[${i}]`, reading),
    );
  };

const readMap =
  (item: Read, zero: unknown): Read =>
  (value, path, reading) => {
    if (!isPlainObject(value)) throw wrongType(value, 'map[string]string');
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        member === null || member === undefined ? zero : item(member, childOf(path, name), reading),
      ]),
    );
  };

const readScalar =
  (scalar: Scalar): Read =>
  (value) =>
    scalar(value);

const readFree: Read = (value) => value;

const structs = new Map<string, Read>();

/** Types that Go reads with a method of their own. */
const isScalarType = (name: string): boolean => Object.hasOwn(scalars, name);

const isFree = (name: string): boolean => name === 'runtime.RawExtension' || name === 'meta.v1.FieldsV1';

const zeroOf = ({ $ref, type, default: preset }: Definition): unknown => {
  if ($ref === 'resource.Quantity') return '0';
  if ($ref === 'intstr.IntOrString') return 0;
  if ($ref !== undefined) return isScalarType($ref) || isFree($ref) ? null : {};
  if (type === 'array' || type === 'object') return null;
  if (type === 'string') return '';
  return type === 'boolean' ? false : (preset ?? 0);
};

const readOf = ({ $ref, type = '', format, items, additionalProperties }: Definition): Read => {
  if ($ref !== undefined) {
    if (isFree($ref)) return readFree;
    return isScalarType($ref) ? readScalar(scalarOf($ref)) : structOf($ref);
  }
  if (items) return readList(readOf(items), zeroOf(items));
  if (additionalProperties) return readMap(readOf(additionalProperties), zeroOf(additionalProperties));
  return readScalar(scalarOf(format === undefined ? type : `${type} ${format}`, type));
};

const scalarOf = (name: string, fallback = ''): Scalar => {
  const scalar = scalars[name] ?? scalars[fallback];
  if (scalar === undefined) throw new Error(`Cannot read the type "${name}": no scalar of this name`);
  return scalar;
};

/** Struct values have an empty object as their default in OpenAPI; pointers to structs have none. */
const emptinessOf = (type: string, name: string, { definition, isRequired }: FieldFacts): Emptiness => {
  const { $ref, default: preset } = definition;
  const pointer = isPointer(type, name);
  const isStruct = $ref !== undefined && !isScalarType($ref) && !isFree($ref);
  const isWritten =
    isRequired ||
    isAlwaysWritten(type, name) ||
    (isStruct ? preset !== undefined : $ref !== undefined && !pointer && name !== 'creationTimestamp');
  return {
    zero: isWritten ? (pointer ? null : zeroOf(definition)) : undefined,
    isDropped: !pointer && !isStruct && (!isWritten || $ref === undefined) && !(definition.items && isWritten),
  };
};

interface FieldFacts {
  readonly definition: Definition;
  readonly isRequired: boolean;
}

const fieldOf = (type: string, name: string, facts: FieldFacts): Field => {
  const { $ref } = facts.definition;
  return {
    read: readOf(facts.definition),
    empty: emptinessOf(type, name, facts),
    isStruct: $ref !== undefined && !isScalarType($ref) && !isFree($ref),
    isUnsupported: isUnsupported(type, name),
  };
};

/** The reader of a struct; compiled when it is used for the first time. */
function structOf(type: string): Read {
  return (value, path, reading) => {
    let read = structs.get(type);
    if (read === undefined) {
      const { properties = {}, required = [] } = definitionOf(type);
      const fields = Object.entries(properties).map(
        ([name, definition]) =>
          [name, fieldOf(type, name, { definition, isRequired: required.includes(name) })] as const,
      );
      read = readStruct(type, new Map(fields));
      structs.set(type, read);
    }
    return read(value, path, reading);
  };
}

/** What {@link readObject} makes of a body. */
export interface ObjectRead {
  readonly object: JsonObject;
  readonly unknownFields: readonly string[];
}

/**
 * Reads an object as the server's decoder does and writes it as the server would: unknown fields are dropped and
 * reported, null is absent, empty fields are left out where Go's types say so, times and quantities are in canonical form.
 *
 * @param type - such as `core.v1.Pod`
 * @throws {WrongType} naming Go's struct and the path
 * @throws {StatusError} 501 for a field that is not supported
 */
export const readObject = (type: string, body: JsonObject): ObjectRead => {
  const reading: Reading = { unknownFields: [], where: '' };
  try {
    const object = structOf(type)(body, '', reading) as JsonObject;
    return { object, unknownFields: reading.unknownFields };
  } catch (error) {
    if (!(error instanceof WrongType)) throw error;
    const { found, expected } = error;
    const where = reading.where.replaceAll(/\[\d+\]/g, '');
    throw new WrongType(
      expected === '' ? found : `json: cannot unmarshal ${found} into Go struct field ${where} of type ${expected}`,
      '',
    );
  }
};
