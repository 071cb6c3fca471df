import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holdsMoreThan } from '#lib/conversion/values.ts';

const holds = (text: string, values: number, depth = 100): boolean =>
  holdsMoreThan(Buffer.from(text), { values, depth });

/** Objects, lists and their members; the first member of each comes with its brackets. */
const countOf = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value);
  return 1 + Math.max(0, inner.length - 1) + inner.reduce((sum: number, each) => sum + countOf(each), 0);
};

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

describe('holdsMoreThan()', () => {
  it('holdsMoreThan() counts what JSON holds, whatever is in its texts', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const [count, depth] = [countOf(value), depthOf(value)];
        for (const text of [JSON.stringify(value), JSON.stringify(value, undefined, 1)]) {
          expect([holds(text, count, depth), holds(text, count - 1, depth)]).toEqual([false, true]);
          expect(holds(text, count, depth - 1)).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    { text: '"{{{{,,,,"', reason: 'punctuation in a text' },
    { text: '"\\"{{{{"', reason: 'a quote in a text' },
    { text: '"\\\\"', reason: 'a backslash at the end of a text' },
    { text: '"🙂,é"', reason: 'letters of several bytes' },
    { text: '"{{{{', reason: 'a text without an end' },
    { text: '', reason: 'nothing' },
  ])('holdsMoreThan() counts no value in $reason', ({ text }) => {
    expect(holds(text, 0)).toBe(false);
  });
});
