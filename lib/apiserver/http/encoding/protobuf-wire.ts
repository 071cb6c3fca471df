/** Reads protobuf's wire format. @throws {Error} when the input ends too early, or a wire type is unknown */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) break;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, value);
    }
    throw new Error('proto: unexpected end of a number');
  }

  take(size: number): Buffer {
    const end = this.#at + size;
    if (size < 0 || end > this.#bytes.length) throw new Error('proto: unexpected EOF');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  value(wireType: number): bigint | Buffer {
    if (wireType === 0) return this.varint();
    if (wireType === 1) return this.take(8);
    if (wireType === 2) return this.take(Number(this.varint()));
    if (wireType === 5) return this.take(4);
    throw new Error(`proto: illegal wireType ${wireType}`);
  }
}

/** Visits the fields of a message in order. @throws {Error} when the input ends too early, or a wire type is unknown */
export const eachField = (bytes: Buffer, visit: (number: string, value: bigint | Buffer) => void): void => {
  const reader = new Reader(bytes);
  while (!reader.isAtEnd) {
    const tag = reader.varint();
    visit(String(tag >> 3n), reader.value(Number(tag & 7n)));
  }
};

/** Returns the bytes of a length-delimited value; empty if the value is absent. @throws {Error} for a number */
export const bytesOf = (value: bigint | Buffer | undefined): Buffer => {
  if (value === undefined) return Buffer.alloc(0);
  if (typeof value === 'bigint') throw new Error('proto: wrong wireType');
  return value;
};

/** Returns the fields of a message by number. The last occurrence of a repeated field counts. */
export const fieldsOf = (bytes: Buffer): ReadonlyMap<string, bigint | Buffer> => {
  const fields = new Map<string, bigint | Buffer>();
  eachField(bytes, (number, value) => fields.set(number, value));
  return fields;
};

/** Returns the value of a number field; 0 when the field is absent or not a number. */
export const numberOf = (value: bigint | Buffer | undefined): number => (typeof value === 'bigint' ? Number(value) : 0);
