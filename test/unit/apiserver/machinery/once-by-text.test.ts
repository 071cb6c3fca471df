import { describe, expect, it } from 'vitest';
import { onceByText } from '#lib/apiserver/machinery/text/once-by-text.ts';

/** Computes an object for a text, at most two results of at most three characters remembered. */
const remembering = () => onceByText((text: string) => ({ text }), { limit: 2, longest: 3 });

describe('onceByText()', () => {
  it('returns a function with the same result for the same text', () => {
    const of = remembering();
    expect(of('a')).toBe(of('a'));
    expect(of('b')).toEqual({ text: 'b' });
  });

  it('returns a function that forgets all results when there are too many', () => {
    const of = remembering();
    const first = of('a');
    of('b');
    expect(of('a')).toBe(first);
    of('c');
    expect(of('a')).not.toBe(first);
  });

  it('returns a function that does not remember a long text', () => {
    const of = remembering();
    expect(of('abc')).toBe(of('abc'));
    expect(of('abcd')).not.toBe(of('abcd'));
    expect(of('abcd')).toEqual({ text: 'abcd' });
  });
});
