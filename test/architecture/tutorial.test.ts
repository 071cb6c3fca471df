import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { repository } from './repository.ts';

const CHAPTERS = 'test/examples/tutorial';
const UNCHANGED: readonly string[] = ['operator.ts', 'reconcile.config.ts'];
const read = (path: string): string => readFileSync(join(repository, path), 'utf8');

interface Block {
  readonly file: string;
  readonly code: string;
}

/** Blocks of code that name a file. */
const blocksOf = (markdown: string): readonly Block[] =>
  [...markdown.matchAll(/^```ts (\S+)\n([^]*?)^```$/gm)].map(([, file = '', code = '']) => ({ file, code }));

describe('the tutorial', () => {
  it('shows the files that the tests run, all of them and no others', () => {
    const [first = '', second = ''] = read('docs/tutorial.md').split('## A second version');
    for (const [chapter, text, unchanged] of [
      ['first', first, []],
      ['second', second, UNCHANGED],
    ] as const) {
      const blocks = blocksOf(text);
      expect(blocks.map(({ file }) => file).toSorted()).toEqual(
        readdirSync(join(repository, CHAPTERS, chapter)).filter((file) => !unchanged.some((same) => same === file)),
      );
      for (const { file, code } of blocks) expect(code).toBe(read(`${CHAPTERS}/${chapter}/${file}`));
    }
    for (const file of UNCHANGED) expect(read(`${CHAPTERS}/second/${file}`)).toBe(read(`${CHAPTERS}/first/${file}`));
  });

  it('has tests that pass', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--test', '--test-isolation=none', `${CHAPTERS}/*/*.test.ts`],
      {
        cwd: repository,
      },
    );
    expect(stdout).toMatch(/pass 6\n.*fail 0\n/);
  });
});
