import { expect, it } from 'vitest';
import { NameCounts } from '#lib/apiserver/server/store/counts.ts';

it('NameCounts return no count of a name again once it was used, however many names come and go', () => {
  const counts = new NameCounts(3);
  const given = new Set<string>();
  const give = (name: string): void => {
    const id = `${name} ${counts.of(name)}`;
    expect(given).not.toContain(id);
    given.add(id);
    counts.add(name);
  };
  for (let i = 0; i < 40; i++) give('abcdefg'[(i * i + i) % 7] ?? '');
  expect(counts.of('a')).toBeGreaterThan(0);
});

it('NameCounts are exact as long as they remember, and so are copies', () => {
  const counts = new NameCounts(Infinity);
  for (const name of ['a', 'b', 'a']) counts.add(name);
  const copy = counts.copy();
  copy.add('a');
  expect(['a', 'b', 'c'].map((name) => counts.of(name))).toEqual([2, 1, 0]);
  expect(copy.of('a')).toBe(3);
});
