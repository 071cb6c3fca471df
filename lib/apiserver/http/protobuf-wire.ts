/** Reads protobuf's wire format. @throws {Error} for what ends too early */
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

  /** The value of a field, by the type on the wire. */
  value(wireType: number): bigint | Buffer {
    if (wireType === 0) return this.varint();
    if (wireType === 1) return this.take(8);
    if (wireType === 2) return this.take(Number(this.varint()));
    if (wireType === 5) return this.take(4);
    throw new Error(`proto: illegal wireType ${wireType}`);
  }
}

/** Visits the fields of a message, in their order. @throws {Error} for what ends too early */
export const eachField = (bytes: Buffer, visit: (number: string, value: bigint | Buffer) => void): void => {
  const reader = new Reader(bytes);
  while (!reader.isAtEnd) {
    const tag = reader.varint();
    visit(String(tag >> 3n), reader.value(Number(tag & 7n)));
  }
};

/** A value that has a length on the wire; nothing when it is absent. @throws {Error} for a number */
export const bytesOf = (value: bigint | Buffer | undefined): Buffer => {
  if (value === undefined) return Buffer.alloc(0);
  if (typeof value === 'bigint') throw new Error('proto: wrong wireType');
  return value;
};

/** The fields of a message by their numbers; of one that comes several times, the last. */
export const fieldsOf = (bytes: Buffer): ReadonlyMap<string, bigint | Buffer> => {
  const fields = new Map<string, bigint | Buffer>();
  eachField(bytes, (number, value) => fields.set(number, value));
  return fields;
};

/** A number; 0 when it is absent. */
export const numberOf = (value: bigint | Buffer | undefined): number => (typeof value === 'bigint' ? Number(value) : 0);
