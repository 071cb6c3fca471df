import * as fc from 'fast-check';

/** A change of some bytes. */
interface Damage {
  readonly at: number;
  readonly kind: 'flip' | 'cut' | 'insert' | 'repeat' | 'end';
  readonly length: number;
  readonly bytes: Uint8Array;
}

const damages = fc.record<Damage>({
  at: fc.nat(100_000),
  kind: fc.constantFrom('flip', 'cut', 'insert', 'repeat', 'end'),
  length: fc.integer({ min: 1, max: 40 }),
  bytes: fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 6 }),
    fc
      .constantFrom('\n', '\0', '"', '{', '}', ': ', '- ', '\t', '&a ', '*a', '\\u', '\\', '[[', '<<: ', '# ', '---\n')
      .map((text) => Buffer.from(text)),
  ),
});

const damaged = (bytes: Buffer, { at, kind, length, bytes: fresh }: Damage): Buffer => {
  const start = at % Math.max(1, bytes.length);
  const [before, rest] = [bytes.subarray(0, start), bytes.subarray(start)];
  switch (kind) {
    case 'flip': {
      const copy = Buffer.from(bytes);
      copy[start] = (copy[start] ?? 0) ^ (1 << (length % 8));
      return copy;
    }
    case 'cut':
      return Buffer.concat([before, rest.subarray(length)]);
    case 'insert':
      return Buffer.concat([before, fresh, rest]);
    case 'repeat':
      return Buffer.concat([before, rest.subarray(0, length), rest]);
    case 'end':
      return before;
  }
};

/** Bytes with up to four kinds of damage: flipped bits, bytes that are missing, repeated or too many, and a missing end. */
export const damagedBytes = (whole: Uint8Array): fc.Arbitrary<Buffer> =>
  fc.array(damages, { maxLength: 4 }).map((all) => all.reduce(damaged, Buffer.from(whole)));

/** Damaged forms of a text. Bytes that are not UTF-8 become U+FFFD. */
export const damagedTexts = (whole: string): fc.Arbitrary<string> =>
  damagedBytes(Buffer.from(whole)).map((bytes) => bytes.toString('utf8'));
