import { describe, expect, it } from 'vitest';
import { apply } from '#lib/desired/intent.ts';
import { UnsupportedError } from '#lib/errors.ts';
import { assertSupportedResult } from '#lib/loop/supported.ts';
import { bookPod, type ShelfAnswer } from '#test/unit/support/shelf-kind.ts';

const answer: ShelfAnswer = {
  children: [apply(bookPod('a'))],
  status: { count: 0 },
  state: { state: 'ready', reason: 'R', message: 'm' },
};

describe('assertSupportedResult()', () => {
  it.each([
    { result: answer, reason: 'it declares children' },
    { result: { ...answer, effects: [], events: [] }, reason: 'its lists are empty' },
    { result: { ...answer, partial: 'could not list' }, reason: 'it is partial' },
  ])('assertSupportedResult() accepts a result when $reason', ({ result }) => {
    expect(() => assertSupportedResult(result)).not.toThrow();
  });

  it.each<{ result: ShelfAnswer; reason: string }>([
    {
      result: { ...answer, effects: [{ effect: 'dryRun', key: 'k', object: bookPod('b') }] },
      reason: 'it asks for an effect',
    },
  ])('assertSupportedResult() throws UnsupportedError when $reason', ({ result }) => {
    expect(() => assertSupportedResult(result)).toThrow(UnsupportedError);
  });
});
