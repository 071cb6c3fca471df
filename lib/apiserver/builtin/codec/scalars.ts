import { canonicalQuantity } from './quantity.ts';
import { microTime, timeCodec } from './times.ts';
import { type ScalarCodec, WrongType, wrongGoType } from './wrong-type.ts';

const text: ScalarCodec = (value) => {
  if (typeof value !== 'string') throw wrongGoType(value, 'string');
  return value;
};

const flag: ScalarCodec = (value) => {
  if (typeof value !== 'boolean') throw wrongGoType(value, 'bool');
  return value;
};

const ranges: Readonly<Record<string, number>> = { int32: 2 ** 31, int64: 2 ** 63 };

const integer =
  (format: string): ScalarCodec =>
  (value) => {
    if (typeof value !== 'number') throw wrongGoType(value, format);
    const limit = ranges[format] ?? 2 ** 63;
    if (!Number.isInteger(value) || value < -limit || value >= limit) throw new WrongType(`number ${value}`, format);
    return value === 0 ? 0 : value;
  };

const number: ScalarCodec = (value) => {
  if (typeof value !== 'number') throw wrongGoType(value, 'float64');
  return value;
};

const byte = (value: unknown): number => {
  if (value === null) return 0;
  if (typeof value !== 'number') throw wrongGoType(value, 'uint8');
  if (!Number.isInteger(value) || value < 0 || value > 255) throw new WrongType(`number ${value}`, 'uint8');
  return value;
};

/**
 * Reads bytes, as a list of numbers or as standard base64. Line breaks in base64 are dropped, as in Go's decoder.
 */
const bytes: ScalarCodec = (value) => {
  if (Array.isArray(value)) return Buffer.from(value.map(byte)).toString('base64');
  if (typeof value !== 'string') throw wrongGoType(value, '[]uint8');
  const plain = value.replaceAll(/[\r\n]/g, '');
  const bad = plain.search(/[^A-Za-z0-9+/]|={1,2}$/);
  const padding = bad < 0 ? '' : plain.slice(bad);
  if (!/^={0,2}$/.test(padding)) throw new WrongType(`illegal base64 data at input byte ${bad}`, '');
  if (plain.length % 4 !== 0)
    throw new WrongType(`illegal base64 data at input byte ${plain.length - (plain.length % 4)}`, '');
  return plain;
};

const quantity: ScalarCodec = (value) => {
  const isText = typeof value === 'string' || typeof value === 'number';
  const canonical = isText ? canonicalQuantity(`${value}`) : undefined;
  if (canonical === undefined) {
    const regularExpression = "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    throw new WrongType(`quantities must match the regular expression ${regularExpression}`, '');
  }
  return canonical;
};

const intOrString: ScalarCodec = (value) => (typeof value === 'string' ? value : integer('int32')(value));

/** Scalar codecs, by the name of a referenced type, by type and format, or by type. */
export const scalarCodecs: Readonly<Record<string, ScalarCodec>> = {
  string: text,
  boolean: flag,
  'integer int32': integer('int32'),
  'integer int64': integer('int64'),
  integer: integer('int64'),
  number,
  'number double': number,
  'string byte': bytes,
  'meta.v1.Time': timeCodec,
  'meta.v1.MicroTime': microTime,
  'resource.Quantity': quantity,
  'intstr.IntOrString': intOrString,
};
