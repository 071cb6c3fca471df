import { canonicalQuantity } from './quantity.ts';

/** What Go cannot decode: the value as Go names it, and the type it should be; or a text of its own. */
export class WrongType extends Error {
  readonly found: string;
  /** Empty when `found` is the whole message. */
  readonly expected: string;

  constructor(found: string, expected: string, where = '') {
    super(
      expected === '' ? found : `json: cannot unmarshal ${found} into Go struct field ${where} of type ${expected}`,
    );
    this.name = 'WrongType';
    this.found = found;
    this.expected = expected;
  }
}

const nameOf = (value: unknown): string => {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
};

/** The error for a value of another type. */
export const wrongType = (value: unknown, expected: string): WrongType => new WrongType(nameOf(value), expected);

/** Reads one scalar and writes it as the server does. @throws {WrongType} */
export type Scalar = (value: unknown) => unknown;

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

/** Standard base64, line breaks ignored, as Go's decoder does; written again without them. */
const bytes: Scalar = (value) => {
  if (typeof value !== 'string') throw wrongType(value, '[]uint8');
  const plain = value.replaceAll(/[\r\n]/g, '');
  const bad = plain.search(/[^A-Za-z0-9+/]|={1,2}$/);
  const padding = bad < 0 ? '' : plain.slice(bad);
  if (!/^={0,2}$/.test(padding)) throw new WrongType(`illegal base64 data at input byte ${bad}`, '');
  if (plain.length % 4 !== 0) throw new WrongType(`illegal base64 data at input byte ${plain.length}`, '');
  return plain;
};

const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:[.,](\d+))?(?:Z|[+-]\d{2}:\d{2})$/;

const instant = (value: unknown, into: string): readonly [milliseconds: number, fraction: string] => {
  if (typeof value !== 'string') throw wrongType(value, into);
  const [, fraction = ''] = rfc3339.exec(value) ?? [];
  const whole = value.replace(/[.,]\d+/, '');
  const milliseconds = rfc3339.test(value) ? Date.parse(whole) : Number.NaN;
  const layout = into === 'MicroTime' ? '2006-01-02T15:04:05.000000Z07:00' : '2006-01-02T15:04:05Z07:00';
  if (Number.isNaN(milliseconds)) {
    throw new WrongType(`parsing time ${JSON.stringify(value)} as "${layout}": cannot parse it`, '');
  }
  return [milliseconds, fraction];
};

const time: Scalar = (value) => {
  const [milliseconds] = instant(value, 'Time');
  return new Date(milliseconds).toISOString().replace('.000Z', 'Z');
};

const microTime: Scalar = (value) => {
  const [milliseconds, fraction] = instant(value, 'MicroTime');
  return new Date(milliseconds).toISOString().replace('.000Z', `.${fraction.padEnd(6, '0').slice(0, 6)}Z`);
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
