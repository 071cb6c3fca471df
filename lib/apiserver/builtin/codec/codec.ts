import { keyPath, memberPath } from '#lib/apiserver/machinery/field-error.ts';
import { notImplemented } from '#lib/apiserver/machinery/status.ts';
import { isPlainObject, type JsonObject, setOwn } from '#lib/json.ts';
import { isAlwaysWritten, isPointer } from './go-types.ts';
import { type OpenApiType, openApiTypeOf } from './openapi.ts';
import { scalarCodecs } from './scalars.ts';
import { isUnsupported } from './unsupported.ts';
import { type ScalarCodec, WrongType, wrongGoType } from './wrong-type.ts';

/**
 * Reads a value of one type, and returns the form in which the server writes the value. Adds the paths of unknown fields to
 * `unknownFields`. `path` is the path of the value; it is not used for scalars.
 */
type Read = (value: unknown, path: string, unknownFields: string[]) => unknown;

/** The place of a member: its name, and the path of the object that contains it. */
interface Place {
  readonly name: string;
  readonly path: string;
  readonly unknownFields: string[];
}

interface Field {
  readonly read: Read;
  /** The value written for an absent, null or empty field; `undefined` when the field is omitted. */
  readonly zero: (() => unknown) | undefined;
  /**
   * Whether an empty value in a request counts as absent; false for pointers in Go, and for fields that refer to another type.
   */
  readonly isDropped: boolean;
  readonly isRefused: boolean;
}

const isEmpty = (value: unknown): boolean => {
  if (value === '' || value === 0 || value === false || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isPlainObject(value) && Object.keys(value).length === 0;
};

/** Adds the innermost struct and field to the error of a value with a wrong type. Returns any other error unchanged. */
const placed = (error: unknown, struct: string, path: string): unknown =>
  error instanceof WrongType && error.where === ''
    ? new WrongType(error.found, error.expected, `${struct}.${path.replaceAll(/\[\d+\]/g, '')}`)
    : error;

/** Returns the given value if it is frozen and reading changed nothing. Callers detect changes by comparing references. */
const sameIf = <V extends object>(isSame: boolean, value: V, result: V): V =>
  isSame && Object.isFrozen(value) ? value : result;

const hasSameMembers = (value: JsonObject, result: JsonObject): boolean => {
  const names = Object.keys(result);
  let index = 0;
  for (const name in value) if (name !== names[index++] || value[name] !== result[name]) return false;
  return index === names.length;
};

const readStruct = (type: string, fields: ReadonlyMap<string, Field>): Read => {
  const structName = type.slice(type.lastIndexOf('.') + 1);
  const written = [...fields].flatMap(([name, { zero }]) => (zero === undefined ? [] : [[name, zero] as const]));
  /**
   * Frozen values that reading returned unchanged. These values are not read again, because most parts of a written object were
   * stored before.
   */
  const settled = new WeakSet();
  const readMember = (field: Field, member: unknown, { name, path, unknownFields }: Place): unknown => {
    try {
      // The path of a scalar is not used. Most members are scalars.
      const at = typeof member === 'object' ? memberPath(path, name) : '';
      const result = field.read(member, at, unknownFields);
      if (field.isDropped && isEmpty(result)) return undefined;
      if (field.isRefused) throw notImplemented(`the field "${memberPath(path, name)}"`);
      return result;
    } catch (error) {
      throw placed(error, structName, memberPath(path, name));
    }
  };
  return (value, path, unknownFields) => {
    if (!isPlainObject(value)) throw wrongGoType(value, goTypeOf({ $ref: type }));
    if (settled.has(value)) return value;
    const result: Record<string, unknown> = {};
    for (const name in value) {
      const field = fields.get(name);
      const member = value[name];
      if (field === undefined) unknownFields.push(memberPath(path, name));
      else if (member !== null && member !== undefined) {
        const read = readMember(field, member, { name, path, unknownFields });
        if (read !== undefined) result[name] = read;
      }
    }
    for (const [name, zero] of written) if (result[name] === undefined) result[name] = zero();
    if (!Object.isFrozen(value) || !hasSameMembers(value, result)) return result;
    settled.add(value);
    return value;
  };
};

/** The Go name of a type, for messages. */
const goTypeOf = ({ $ref, type = '', format, items, additionalProperties }: OpenApiType): string => {
  if ($ref !== undefined) return $ref.replace(/^(?:core|meta|apps|coordination)\./, '');
  if (items) return `[]${goTypeOf(items)}`;
  if (additionalProperties?.$ref === 'resource.Quantity') return 'v1.ResourceList';
  if (additionalProperties) return `map[string]${goTypeOf(additionalProperties)}`;
  if (format === 'byte') return '[]uint8';
  return type === 'boolean' ? 'bool' : (format ?? type);
};

/** Computes a value on first use. This is necessary because types refer to each other. */
const once = <T>(compute: () => T): (() => T) => {
  let result: { readonly value: T } | undefined;
  return () => (result ??= { value: compute() }).value;
};

const readList = (items: OpenApiType): Read => {
  const read = readerOf(items);
  const zero = zeroOf(items);
  return (value, path, unknownFields) => {
    if (!Array.isArray(value)) throw wrongGoType(value, goTypeOf({ items }));
    const given = value as readonly unknown[];
    const result = given.map((item, i) => (item === null ? zero() : read(item, keyPath(path, i), unknownFields)));
    const isSame = result.every((item, i) => item === given[i]);
    return sameIf(isSame, given, result);
  };
};

const readMap = (additionalProperties: OpenApiType): Read => {
  const read = readerOf(additionalProperties);
  const zero = zeroOf(additionalProperties);
  return (value, path, unknownFields) => {
    if (!isPlainObject(value)) throw wrongGoType(value, goTypeOf({ additionalProperties }));
    let isSame = true;
    const result: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      const member = value[name];
      const item = member === null ? zero() : read(member, path, unknownFields);
      if (item !== member) isSame = false;
      setOwn(result, name, item);
    }
    return sameIf<JsonObject>(isSame, value, result);
  };
};

const scalarOf = ({ $ref, type = '', format }: OpenApiType): ScalarCodec => {
  const name = $ref ?? (format === undefined ? type : `${type} ${format}`);
  const scalar = scalarCodecs[name] ?? scalarCodecs[type];
  if (scalar === undefined) throw new Error(`Cannot read the type "${name}": no scalar of this name`);
  return scalar;
};

/** Whether a type is arbitrary JSON, which Go does not change. */
const isFree = (name: string): boolean => name === 'runtime.RawExtension' || name === 'meta.v1.FieldsV1';

const isStruct = ($ref: string | undefined): $ref is string =>
  $ref !== undefined && !Object.hasOwn(scalarCodecs, $ref) && !isFree($ref);

/** The encoding of the zero value of a type that is not a pointer. */
const zeroOf = ({ $ref, type }: OpenApiType): (() => unknown) => {
  if (isStruct($ref)) return () => structOf($ref)({}, '', []);
  if ($ref === 'resource.Quantity') return () => '0';
  if ($ref === 'intstr.IntOrString' || type === 'integer') return () => 0;
  if (type === 'string') return () => '';
  return type === 'boolean' ? () => false : () => null;
};

const readerOf = (definition: OpenApiType): Read => {
  const { $ref, items, additionalProperties } = definition;
  if (isStruct($ref)) return structOf($ref);
  if ($ref !== undefined && isFree($ref)) return (value) => value;
  if (items) return readList(items);
  if (additionalProperties) return readMap(additionalProperties);
  const scalar = scalarOf(definition);
  return (value) => scalar(value);
};

/**
 * Whether Go writes an empty field. Go always writes a struct that is not a pointer; such a field has a default in OpenAPI. Go
 * also writes times, quantities and similar types, unless they are pointers. An exception is `creationTimestamp`, which has a
 * special tag.
 */
const isWritten = (type: string, name: string, { $ref, default: preset }: OpenApiType): boolean => {
  if (isAlwaysWritten(type, name) || openApiTypeOf(type).required?.includes(name) === true) return true;
  if (isStruct($ref)) return preset !== undefined;
  return $ref !== undefined && !isPointer(type, name) && name !== 'creationTimestamp';
};

const fieldOf = (type: string, name: string, definition: OpenApiType): Field => {
  const { $ref, default: preset } = definition;
  const pointer = isPointer(type, name) || (isStruct($ref) && preset === undefined);
  const written = isWritten(type, name, definition);
  const zero = pointer ? () => null : zeroOf(definition);
  return {
    read: readerOf(definition),
    zero: written ? zero : undefined,
    isDropped: !pointer && $ref === undefined,
    isRefused: isUnsupported(type, name),
  };
};

const compile = (type: string): Read => {
  const { properties = {} } = openApiTypeOf(type);
  const fields = Object.entries(properties).map(
    ([name, definition]) => [name, fieldOf(type, name, definition)] as const,
  );
  return readStruct(type, new Map(fields));
};

const structs = new Map<string, Read>();

function structOf(type: string): Read {
  const known = structs.get(type);
  if (known !== undefined) return known;
  const compiled = once(() => compile(type));
  const read: Read = (value, path, unknownFields) => compiled()(value, path, unknownFields);
  structs.set(type, read);
  return read;
}

/** The result of {@link readObject}. */
export interface ObjectRead {
  readonly object: JsonObject;
  readonly unknownFields: readonly string[];
}

/**
 * Reads an object as the decoder of the real server does, and returns it as the real server would write it. Unknown fields are
 * dropped and reported. A field with the value null counts as absent. Empty fields with the Go tag `omitempty` are omitted. Times
 * and quantities get their canonical form.
 *
 * @param type - a short name such as `core.v1.Pod`
 * @throws {WrongType} with the Go struct and the path
 * @throws {StatusError} 501 for a field that is not supported
 */
export const readObject = (type: string, body: JsonObject): ObjectRead => {
  const unknownFields: string[] = [];
  return { object: structOf(type)(body, '', unknownFields) as JsonObject, unknownFields };
};
