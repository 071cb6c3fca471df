import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { writeStrykerConfig } from '#test/campaign/mutants/tree.ts';

it('writeStrykerConfig() limits Stryker to the sources, and vitest to the tests', async () => {
  const tree = await mkdtemp(join(tmpdir(), 'mutants-'));
  try {
    const sources = ['lib/plan/plan.ts'];
    const tests = ['test/unit/plan', 'test/a.test.ts'];
    await writeStrykerConfig(tree, { sources, tests, known: '/cache/known.json' });
    const stryker = JSON.parse(await readFile(join(tree, 'stryker.config.json'), 'utf8')) as {
      readonly vitest: { readonly configFile: string };
    };
    expect(stryker).toMatchObject({ mutate: sources, incremental: true, incrementalFile: '/cache/known.json' });
    const vitest = (await import(pathToFileURL(join(tree, stryker.vitest.configFile)).href)) as { default: unknown };
    expect(vitest.default).toMatchObject({ test: { include: ['test/unit/plan/**/*.test.ts', 'test/a.test.ts'] } });
  } finally {
    await rm(tree, { recursive: true });
  }
});
