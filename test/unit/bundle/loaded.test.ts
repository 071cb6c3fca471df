import { isAscii } from 'node:buffer';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { bundleOperator } from '#apps/bundle.ts';

/** Node's modules in a process that has loaded the operator, which finds no cluster here and ends. */
const loadedBy = async (entryPoint: string): Promise<readonly string[]> => {
  const script = `
    process.exit = () => {};
    process.on('exit', () => process.stdout.write(JSON.stringify(process.moduleLoadList)));
    await import(${JSON.stringify(entryPoint)});
  `;
  const env = { PATH: process.env['PATH'], HOME: tmpdir() };
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { env });
  return JSON.parse(stdout.slice(stdout.lastIndexOf('["'))) as string[];
};

describe('the bundled operator', () => {
  it('the bundled operator is ASCII, of which V8 keeps one byte a character, with the licenses beside it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bundle-'));
    try {
      const files = Object.keys(await bundleOperator(folder));
      const modules = await Promise.all(
        files.filter((file) => file.endsWith('.mjs')).map(async (file) => readFile(join(folder, file))),
      );
      expect(modules.length).toBeGreaterThan(1);
      expect(modules.every((bytes) => isAscii(bytes))).toBe(true);
      expect(files.filter((file) => file.endsWith('.LEGAL.txt'))).not.toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("the bundled operator loads neither Node's own fetch nor HTTP/2, which it never uses: 13 and 4 MiB", async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bundle-'));
    try {
      await bundleOperator(folder);
      const loaded = await loadedBy(join(folder, 'operator.mjs'));
      expect(loaded).toContain('NativeModule http');
      expect(loaded.filter((name) => /undici|http2/.test(name))).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
