import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const runner = resolve('test/run-beside.ts');
let root = '';

/**
 * Projects with the names of the repository's projects, and with its reporter of the last line. Globals are used, because the
 * folder has no packages.
 */
const CONFIG = `export default { test: {
  reporters: ['default', '${resolve('test/summary-reporter.ts')}'],
  projects: ['unit', 'architecture', 'cluster'].map((name) => ({
    test: { name, globals: true, include: [name + '/*.test.mjs'], passWithNoTests: true },
  })),
} }`;

/** A test that fails in its first run, and passes after that. */
const FLAKY = `import { existsSync, writeFileSync } from 'node:fs';
it('fails once', () => {
  const mark = import.meta.filename + '.ran';
  const wasThere = existsSync(mark);
  writeFileSync(mark, '');
  expect(wasThere).toBe(true);
});`;

const run = async (files: Readonly<Record<string, string>>): Promise<{ code: number; printed: string }> => {
  const folder = await mkdtemp(join(root, 'case-'));
  const all = { 'vitest.config.mjs': CONFIG, 'architecture/a.test.mjs': "it('passes', () => undefined);", ...files };
  for (const project of ['unit', 'architecture', 'cluster']) await mkdir(join(folder, project));
  for (const [path, text] of Object.entries(all)) await writeFile(join(folder, path), text);
  const code = `import { runBesideEachOther } from '${runner}'; process.exit(await runBesideEachOther('${folder}'));`;
  // The variables of the vitest that runs this test would make the inner vitest a worker.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')));
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { env });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const [exit] = (await once(child, 'close')) as [number];
  return { code: exit, printed: printed.trim() };
};

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'run-beside-'));
});

afterAll(async () => {
  await rm(root, { recursive: true });
});

const PASSES = { 'cluster/c.test.mjs': "it('passes', () => undefined);" };

it('runBesideEachOther() names a test as flaky that fails beside other suites and passes alone', async () => {
  const { code, printed } = await run({ ...PASSES, 'unit/u.test.mjs': FLAKY });
  expect(printed).toContain('!!! FLAKY: unit/u.test.mjs failed beside other suites, and passed alone');
  expect(printed.split('\n').at(-1)).toBe('3 passed, 0 failed');
  expect(code).toBe(0);
});

it('runBesideEachOther() fails when a test fails alone, too', async () => {
  const { code, printed } = await run({
    ...PASSES,
    'unit/u.test.mjs': "it('fails', () => { throw new Error('bad'); });",
  });
  expect(printed).not.toContain('FLAKY');
  expect(printed.split('\n').at(-1)).toBe('2 passed, 1 failed');
  expect(code).toBe(1);
});

it('runBesideEachOther() fails when an error is outside of any test', async () => {
  const files = {
    ...PASSES,
    'unit/u.test.mjs': "it('leaves', () => void setTimeout(() => { throw new Error('late'); }, 1));",
  };
  const { code, printed } = await run(files);
  expect(printed.split('\n').at(-1)).toMatch(/ [1-9]\d* failed$/);
  expect(code).toBe(1);
});
