/**
 * Encodes values of ASN.1 by the distinguished encoding rules (DER), as far as a certificate needs them. There is no decoder.
 *
 * @see https://www.itu.int/rec/T-REC-X.690
 */
const lengthOf = (size: number): Buffer => {
  if (size < 0x80) return Buffer.from([size]);
  const hex = size.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
};

const tagged = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
};

/** SEQUENCE: an ordered list of values. */
export const sequence = (...parts: readonly Uint8Array[]): Buffer => tagged(0x30, ...parts);

/** SET: values without an order. */
export const derSet = (...parts: readonly Uint8Array[]): Buffer => tagged(0x31, ...parts);

/** The tag `[number]`: constructed, or primitive for a simple value with an implicit tag. */
export const context = (number: number, isPrimitive: boolean, ...parts: readonly Uint8Array[]): Buffer =>
  tagged((isPrimitive ? 0x80 : 0xa0) | number, ...parts);

/** INTEGER: a positive number, given as bytes without leading zeros. */
export const integer = (bytes: Uint8Array): Buffer =>
  tagged(0x02, (bytes[0] ?? 0) >= 0x80 ? Buffer.from([0]) : Buffer.alloc(0), bytes);

/** BOOLEAN true. DER omits default values, and false is the default of all fields in these certificates. */
export const yes: Buffer = tagged(0x01, Buffer.from([0xff]));

/** OCTET STRING: bytes. */
export const octets = (content: Uint8Array): Buffer => tagged(0x04, content);

/** BIT STRING. `unused` is the number of unused bits in the last byte. */
export const bits = (content: Uint8Array, unused = 0): Buffer => tagged(0x03, Buffer.from([unused]), content);

/** UTF8String: a text. */
export const derText = (content: string): Buffer => tagged(0x0c, Buffer.from(content));

const base128 = (value: number): number[] =>
  value < 0x80 ? [value] : [...base128(Math.floor(value / 0x80)).map((byte) => byte | 0x80), value % 0x80];

/** OBJECT IDENTIFIER, given as text such as `2.5.4.3`. */
export const identifier = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
};

/** UTCTime before 2050, GeneralizedTime from then on: RFC 5280, 4.1.2.5. */
export const time = (date: Date): Buffer => {
  const digits = date.toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return date.getUTCFullYear() < 2050 ? tagged(0x17, Buffer.from(digits.slice(2))) : tagged(0x18, Buffer.from(digits));
};
