import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter } from '#lib/kube/client/line-splitter.ts';

const split = (bytes: Buffer, cuts: readonly number[]): string[] => {
  const splitter = new LineSplitter();
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  const lines = edges.slice(1).flatMap((end, index) => splitter.push(bytes.subarray(edges[index], end)));
  return [...lines, splitter.end()];
};

describe('LineSplitter', () => {
  it('push() gives the same lines when the bytes are cut anywhere', () => {
    fc.assert(
      fc.property(fc.array(fc.json()), fc.string({ unit: 'grapheme' }), fc.array(fc.nat()), (values, text, cuts) => {
        const lines = [...values, JSON.stringify({ text }), '{"emoji":"👩‍🚀é日本"}'];
        const bytes = Buffer.from(`${lines.join('\n')}\n`);
        expect(split(bytes, cuts)).toEqual([...lines, '']);
      }),
    );
  });

  it('push() gives whole characters when every byte comes alone', () => {
    const bytes = Buffer.from('"é👩‍🚀"\n"日本"\n');
    expect(split(bytes, [...bytes.keys()])).toEqual(['"é👩‍🚀"', '"日本"', '']);
  });

  it('end() gives the rest once when the last newline is missing', () => {
    const splitter = new LineSplitter();
    expect(splitter.push(Buffer.from('a\nb'))).toEqual(['a']);
    expect([splitter.end(), splitter.end()]).toEqual(['b', '']);
  });

  it('push() throws instead of filling the memory when a line never ends', () => {
    const splitter = new LineSplitter({ maxBytes: 10 });
    expect(splitter.push(Buffer.from('0123456789'))).toEqual([]);
    expect(() => splitter.push(Buffer.from('x'))).toThrow('a line is longer than 10 bytes');
  });
});
