import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isInScope, sampledLines } from '#test/campaign/mutants/sample.ts';
import { campaignParts } from '#test/campaign/parts.ts';

const TEXT = `import { a } from './a.ts';
import {
  b,
} from './b.ts';

/**
 * A comment with code: a + b.
 */
// Another comment.
export const c = () => {
  return a + b;
};
`;

it('sampledLines() chooses only lines with code, and the same lines each time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sample-'));
  try {
    const file = join(folder, 'c.ts');
    await writeFile(file, TEXT);
    const all = sampledLines([file], 100);
    expect(all).toEqual([3, 10, 11].map((line) => `${file}:${line}-${line}`));
    const two = sampledLines([file], 2);
    expect(two).toHaveLength(2);
    expect(all).toEqual(expect.arrayContaining([...two]));
    expect(sampledLines([file], 2)).toEqual(two);
  } finally {
    await rm(folder, { recursive: true });
  }
});

it.each([
  { source: 'lib/a.ts', line: 5, is: true },
  { source: 'lib/a.ts:5-5', line: 5, is: true },
  { source: 'lib/a.ts:6-7', line: 5, is: false },
  { source: 'lib/a.ts:3-4', line: 5, is: false },
  { source: 'lib/b.ts', line: 5, is: false },
])('isInScope() is $is for line $line of lib/a.ts and the source $source', ({ source, line, is }) => {
  expect(isInScope([source], 'lib/a.ts', line)).toBe(is);
});

it('the sample of mutants has tests for each of its lines', () => {
  const { mutants, testsByRoom = {}, cases } = campaignParts.find(({ name }) => name === 'mutants-sample') ?? {};
  const lines = mutants?.() ?? [];
  expect(lines).toHaveLength(cases?.all ?? 0);
  expect(lines.filter((line) => !Object.keys(testsByRoom).some((room) => line.startsWith(`${room}/`)))).toEqual([]);
});
