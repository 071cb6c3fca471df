import { type JsonObject, setOwn } from '#lib/json.ts';
import table from './protobuf.json' with { type: 'json' };
import { bytesOf, eachField, fieldsOf, numberOf } from './protobuf-wire.ts';

type Fields = Readonly<Record<string, readonly [name: string, type: string]>>;

const messages = table.messages as unknown as Readonly<Record<string, Fields>>;

/** Maximum nesting of messages. */
const DEPTH_LIMIT = 64;

const timeOf = (bytes: Buffer, digits: number): string | null => {
  const fields = fieldsOf(bytes);
  const [seconds, nanos] = [numberOf(fields.get('1')), numberOf(fields.get('2'))];
  // Go encodes its zero time as an empty message or as the year 1.
  if (seconds === 0 && nanos === 0) return null;
  const text = new Date(seconds * 1000).toISOString().slice(0, 19);
  return digits === 0 ? `${text}Z` : `${text}.${String(Math.trunc(nanos / 1000)).padStart(digits, '0')}Z`;
};

const jsonIn = (bytes: Buffer): unknown => {
  const text = bytesOf(fieldsOf(bytes).get('1')).toString();
  return text === '' ? null : JSON.parse(text);
};

const textsIn = (bytes: Buffer): string[] => {
  const items: string[] = [];
  eachField(bytes, (_, value) => items.push(bytesOf(value).toString()));
  return items;
};

const schemaIn = (value: bigint | Buffer, depth: number): JsonObject =>
  messageOf('apiextensions.v1.JSONSchemaProps', bytesOf(value), depth + 1);

/** Decodes a message that contains either a schema or a list. */
const schemaOr = (
  bytes: Buffer,
  { depth, itemOf }: { readonly depth: number; readonly itemOf: (value: bigint | Buffer) => unknown },
): unknown => {
  const schema = fieldsOf(bytes).get('1');
  if (schema !== undefined) return schemaIn(schema, depth);
  const items: unknown[] = [];
  eachField(bytes, (number, value) => void (number === '2' && items.push(itemOf(value))));
  return items;
};

const schemaOrFlag = (bytes: Buffer, depth: number): unknown => {
  const fields = fieldsOf(bytes);
  const schema = fields.get('2');
  return schema === undefined ? fields.get('1') !== undefined && fields.get('1') !== 0n : schemaIn(schema, depth);
};

/** Decoders of messages with a JSON form that is not an object with the same members. */
const SPECIAL: Readonly<Record<string, (bytes: Buffer, depth: number) => unknown>> = {
  'apiextensions.v1.JSON': jsonIn,
  'apiextensions.v1.JSONSchemaPropsOrArray': (bytes, depth) =>
    schemaOr(bytes, { depth, itemOf: (value) => schemaIn(value, depth) }),
  'apiextensions.v1.JSONSchemaPropsOrBool': schemaOrFlag,
  'apiextensions.v1.JSONSchemaPropsOrStringArray': (bytes, depth) =>
    schemaOr(bytes, { depth, itemOf: (value) => bytesOf(value).toString() }),
  'meta.v1.Time': (bytes) => timeOf(bytes, 0),
  'meta.v1.MicroTime': (bytes) => timeOf(bytes, 6),
  'meta.v1.FieldsV1': jsonIn,
  'runtime.RawExtension': jsonIn,
  'meta.v1.Verbs': textsIn,
  'resource.Quantity': (bytes) => bytesOf(fieldsOf(bytes).get('1')).toString(),
  'intstr.IntOrString': (bytes) => {
    const fields = fieldsOf(bytes);
    return numberOf(fields.get('1')) === 1 ? bytesOf(fields.get('3')).toString() : numberOf(fields.get('2'));
  },
};

const scalar = (type: string, value: bigint | Buffer): unknown => {
  switch (type) {
    case 'string':
      return bytesOf(value).toString();
    case 'bytes':
      return bytesOf(value).toString('base64');
    case 'bool':
      return value !== 0n;
    case 'double':
      return bytesOf(value).readDoubleLE();
    default:
      return numberOf(value);
  }
};

const SCALARS: ReadonlySet<string> = new Set(['string', 'bytes', 'bool', 'double', 'int32', 'int64']);

const valueOf = (type: string, value: bigint | Buffer, depth: number): unknown => {
  if (SCALARS.has(type)) return scalar(type, value);
  const special = type.endsWith('.ExtraValue') ? textsIn : SPECIAL[type];
  return special ? special(bytesOf(value), depth) : messageOf(type, bytesOf(value), depth + 1);
};

const setField = (
  result: Record<string, unknown>,
  [name, type]: readonly [string, string],
  { value, depth }: { readonly value: bigint | Buffer; readonly depth: number },
): void => {
  const [, shape, item = ''] = /^(list|map) (.*)$/.exec(type) ?? [];
  if (shape === 'list') {
    const list = (result[name] ??= []) as unknown[];
    list.push(valueOf(item, value, depth));
  } else if (shape === 'map') {
    const entry = fieldsOf(bytesOf(value));
    const key = bytesOf(entry.get('1')).toString();
    const map = (result[name] ??= {}) as Record<string, unknown>;
    const empty = SCALARS.has(item) && item !== 'string' && item !== 'bytes' ? 0n : Buffer.alloc(0);
    setOwn(map, key, valueOf(item, entry.get('2') ?? empty, depth));
  } else if (name === '') Object.assign(result, valueOf(type, value, depth));
  else result[name] = valueOf(type, value, depth);
};

function messageOf(type: string, bytes: Buffer, depth: number): JsonObject {
  const fields = messages[type];
  if (fields === undefined) throw new Error(`proto: no message ${type} is known`);
  if (depth > DEPTH_LIMIT) throw new Error('proto: messages are too deep in each other');
  const result: Record<string, unknown> = {};
  eachField(bytes, (number, value) => {
    const field = fields[number];
    if (field) setField(result, field, { value, depth });
  });
  return result;
}

/** The first bytes of every object in protobuf. @see k8s.io/apimachinery v0.36.4 pkg/runtime/serializer/protobuf/protobuf.go */
const MAGIC = Buffer.from('k8s\0');

const packageOf = (apiVersion: string): string => {
  const [group = '', version] = apiVersion.split('/');
  return version === undefined ? `core.${group}` : `${group.split('.')[0]}.${version}`;
};

/**
 * Decodes an object that a typed client sent in protobuf. Empty members appear as Go sends them.
 *
 * @throws {Error} when the body is not protobuf or malformed, its type is unknown, or its messages are nested too deeply
 */
export const decodeProtobuf = (body: Buffer): JsonObject => {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC))
    throw new Error('provided data does not appear to be a protobuf message');
  const unknown = fieldsOf(body.subarray(MAGIC.length));
  const typeMeta = fieldsOf(bytesOf(unknown.get('1')));
  const [apiVersion, kind] = [bytesOf(typeMeta.get('1')).toString(), bytesOf(typeMeta.get('2')).toString()];
  const type = kind === 'DeleteOptions' ? 'meta.v1.DeleteOptions' : `${packageOf(apiVersion)}.${kind}`;
  return { apiVersion, kind, ...messageOf(type, bytesOf(unknown.get('2')), 0) };
};
