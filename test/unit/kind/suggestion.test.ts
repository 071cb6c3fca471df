import { describe, expect, it } from 'vitest';
import { tryNearest } from '#lib/kind/value/suggestion.ts';

describe('tryNearest()', () => {
  it.each([
    { name: 'replica', nearest: 'replicas', reason: 'a letter is missing' },
    { name: 'Replicas', nearest: 'replicas', reason: 'case does not count' },
    { name: 'repilcas', nearest: 'replicas', reason: 'two letters are swapped' },
    { name: 'size', nearest: undefined, reason: 'it is another word' },
    { name: 'xy', nearest: undefined, reason: 'a short word has little in common' },
    { name: '', nearest: undefined, reason: 'nothing is near to nothing' },
  ])('tryNearest() finds $nearest for "$name": $reason', ({ name, nearest }) => {
    expect(tryNearest(name, ['replicas', 'paused', 'url'])).toBe(nearest);
  });

  it('tryNearest() prefers the nearer of two', () => {
    expect(tryNearest('portt', ['ports', 'port'])).toBe('ports');
    expect(tryNearest('porttt', ['ports', 'port'])).toBe('ports');
  });
});
