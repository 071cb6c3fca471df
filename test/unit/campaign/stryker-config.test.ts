import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { ShortFirst, shortFirst } from '#test/campaign/mutants/short-first.ts';
import { writeStrykerConfig } from '#test/campaign/mutants/tree.ts';

it('writeStrykerConfig() limits Stryker to the sources, and vitest to the tests', async () => {
  const tree = await mkdtemp(join(tmpdir(), 'mutants-'));
  try {
    const sources = ['lib/plan/plan.ts'];
    const tests = ['test/unit/plan', 'test/a.test.ts'];
    await writeStrykerConfig(tree, { sources, tests, without: ['test/b.test.ts'], known: '/cache/known.json' });
    const stryker = JSON.parse(await readFile(join(tree, 'stryker.config.json'), 'utf8')) as {
      readonly vitest: { readonly configFile: string };
    };
    expect(stryker).toMatchObject({
      mutate: sources,
      incremental: true,
      incrementalFile: '/cache/known.json',
      disableTypeChecks: false,
    });
    const vitest = (await import(pathToFileURL(join(tree, stryker.vitest.configFile)).href)) as { default: unknown };
    const include = ['test/unit/plan/**/*.test.ts', 'test/a.test.ts'];
    expect(vitest.default).toMatchObject({
      // Some tests poll for what a process does, which takes longer than the default of a second.
      test: {
        include,
        exclude: expect.arrayContaining(['test/b.test.ts']) as unknown,
        sequence: { sequencer: ShortFirst },
        expect: { poll: { timeout: 600_000 } },
      },
    });
  } finally {
    await rm(tree, { recursive: true });
  }
});

it('shortFirst() puts files without a known duration first, then sorts by duration', () => {
  const durations: Readonly<Record<string, number>> = { long: 300, short: 2, middle: 40 };
  const files = ['long', 'new', 'short', 'middle'];
  expect(shortFirst(files, (file) => durations[file])).toEqual(['new', 'short', 'middle', 'long']);
});
