import { canonicalQuantity } from './quantity.ts';
import { microTime, time } from './times.ts';
import { type Scalar, WrongType, wrongType } from './wrong-type.ts';

const text: Scalar = (value) => {
  if (typeof value !== 'string') throw wrongType(value, 'string');
  return value;
};

const flag: Scalar = (value) => {
  if (typeof value !== 'boolean') throw wrongType(value, 'bool');
  return value;
};

const ranges: Readonly<Record<string, number>> = { int32: 2 ** 31, int64: 2 ** 63 };

const integer =
  (format: string): Scalar =>
  (value) => {
    if (typeof value !== 'number') throw wrongType(value, format);
    const limit = ranges[format] ?? 2 ** 63;
    if (!Number.isInteger(value) || value < -limit || value >= limit) throw new WrongType(`number ${value}`, format);
    return value === 0 ? 0 : value;
  };

const number: Scalar = (value) => {
  if (typeof value !== 'number') throw wrongType(value, 'float64');
  return value;
};

const byte = (value: unknown): number => {
  if (value === null) return 0;
  if (typeof value !== 'number') throw wrongType(value, 'uint8');
  if (!Number.isInteger(value) || value < 0 || value > 255) throw new WrongType(`number ${value}`, 'uint8');
  return value;
};

/** Bytes as numbers, or as standard base64, line breaks ignored, as Go's decoder does; written again without them. */
const bytes: Scalar = (value) => {
  if (Array.isArray(value)) return Buffer.from(value.map(byte)).toString('base64');
  if (typeof value !== 'string') throw wrongType(value, '[]uint8');
  const plain = value.replaceAll(/[\r\n]/g, '');
  const bad = plain.search(/[^A-Za-z0-9+/]|={1,2}$/);
  const padding = bad < 0 ? '' : plain.slice(bad);
  if (!/^={0,2}$/.test(padding)) throw new WrongType(`illegal base64 data at input byte ${bad}`, '');
  if (plain.length % 4 !== 0)
    throw new WrongType(`illegal base64 data at input byte ${plain.length - (plain.length % 4)}`, '');
  return plain;
};

const quantity: Scalar = (value) => {
  const canonical = canonicalQuantity(String(value));
  if (canonical === undefined || (typeof value !== 'string' && typeof value !== 'number')) {
    const regularExpression = "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    throw new WrongType(`quantities must match the regular expression ${regularExpression}`, '');
  }
  return canonical;
};

const intOrString: Scalar = (value) => (typeof value === 'string' ? value : integer('int32')(value));

/** Scalars by the name of their type, or else by type and format. */
export const scalars: Readonly<Record<string, Scalar>> = {
  string: text,
  boolean: flag,
  'integer int32': integer('int32'),
  'integer int64': integer('int64'),
  integer: integer('int64'),
  number,
  'number double': number,
  'string byte': bytes,
  'meta.v1.Time': time,
  'meta.v1.MicroTime': microTime,
  'resource.Quantity': quantity,
  'intstr.IntOrString': intOrString,
};
