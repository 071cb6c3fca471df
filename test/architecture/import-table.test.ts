import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cruise, cruiseTree } from './cruise-tree.ts';
import { reportImports } from './import-report.ts';
import { lawfulFiles, plantedImports } from './planted-imports.ts';
import { type PlantedTree, plantTree } from './planted-tree.ts';
import { repository } from './repository.ts';
import { importsOf } from './source-imports.ts';

const run = promisify(execFile);

/** A cruise takes a second or two; on a busy machine, much longer. */
const HOOK_TIMEOUT_MS = 60_000;

describe('imports of this repository', () => {
  let cruise: Cruise;
  beforeAll(async () => {
    cruise = await cruiseTree(repository);
  }, HOOK_TIMEOUT_MS);

  it('are all in the import table', () => {
    expect(cruise.violations.map(({ edge, reasons }) => ({ edge, reasons }))).toEqual([]);
  });

  it('are found: not zero modules, and aliases lead to files', () => {
    expect(cruise.modules.length).toBeGreaterThan(100);
    expect(cruise.edges).toContainEqual({ from: 'lib/plan/plan.ts', specifier: '#lib/errors.ts', to: 'lib/errors.ts' });
    expect(cruise.edges).toContainEqual({
      from: 'apps/kinds.ts',
      specifier: '#constructs/pod-set/kind.ts',
      to: 'constructs/pod-set/kind.ts',
    });
    const aliases = cruise.edges.filter(({ specifier }) => specifier.startsWith('#'));
    expect(aliases.filter(({ to }) => !cruise.modules.includes(to) && !to.startsWith('test/control-plane/'))).toEqual(
      [],
    );
  });

  it('are the same for another parser, so that none escapes the check', async () => {
    const differences = [];
    for (const module of cruise.modules) {
      const text = await readFile(join(repository, module), 'utf8');
      const expected = new Set(importsOf(module, text).map((name) => name.replace(/^node:/, '')));
      const seen = new Set(cruise.edges.filter(({ from }) => from === module).map(({ specifier }) => specifier));
      const missing = [...expected.difference(seen)];
      if (missing.length > 0) differences.push({ module, missing });
    }
    expect(differences).toEqual([]);
  });
});

describe('planted imports', () => {
  let tree: PlantedTree;
  let cruise: Cruise;
  beforeAll(async () => {
    const planted = Object.fromEntries(plantedImports.map(({ file, code }) => [file, code]));
    tree = await plantTree(repository, { ...lawfulFiles, ...planted });
    cruise = await cruiseTree(tree.root);
  }, HOOK_TIMEOUT_MS);
  afterAll(() => tree[Symbol.asyncDispose]());

  it.for(plantedImports)('are reported: $reason', ({ edge, rules }) => {
    expect(
      cruise.violations.filter((violation) => violation.edge === edge).map((found) => found.rules.toSorted()),
    ).toEqual([rules.toSorted()]);
  });

  it('are all that is reported', () => {
    const planted = new Set(plantedImports.map(({ edge }) => edge));
    expect(cruise.violations.filter(({ edge }) => !planted.has(edge))).toEqual([]);
    expect(cruise.modules).toEqual(
      expect.arrayContaining(Object.keys(lawfulFiles).filter((file) => !file.startsWith('test/'))),
    );
  });

  it('are reported with from, to and the reason', async () => {
    const { text, failed } = await reportImports(tree.root, 1);
    expect(failed).toBe(true);
    expect(text).toContain(
      'lib/plan/a.ts → fs\n  [lib/plan] may import lib/json, lib/errors, lib/kind, lib/desired — a plan depends',
    );
    expect(text).toContain(`${plantedImports.length} forbidden imports`);
  });

  it('let the command fail, as does a tree with hardly any files', async () => {
    const command = run(process.execPath, [join(repository, 'test/architecture/check-imports.ts')], { cwd: tree.root });
    await expect(command).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining('Cannot judge the imports'),
    });
  });
});

describe('importsOf()', () => {
  it('sees every form of import', () => {
    const text = `
      import a from 'a'; import type { B } from 'b'; import 'c'; export * from 'd'; export type { E } from 'e';
      const f = await import('f'); let g: import('g').G; export { a };`;
    expect(importsOf('all.ts', text)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  });
});
