import { mkdirSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileWatch } from '#lib/cli/verbs/dev/file-watch.ts';
import { hashOf } from '#lib/cli/verbs/dev/sources.ts';

let folder: string;
let watch: FileWatch;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watch-'));
  watch = new FileWatch((error) => {
    throw error;
  });
});
afterEach(async () => {
  watch.close();
  await rm(folder, { recursive: true, force: true });
});

const watchAll = (...files: readonly string[]): void =>
  watch.watch(Object.fromEntries(files.map((file) => [file, hashOf(file)])));

/** Replaces a file in one step. */
const put = async (file: string, text: string): Promise<void> => {
  await writeFile(`${file}~`, text);
  await rename(`${file}~`, file);
};

const saved = async (): Promise<readonly string[] | undefined> => {
  await watch.untilSaved();
  return watch.take()?.files;
};

describe('FileWatch', () => {
  it('untilSaved() reports files that are renamed into place, or made, and none that hold the same', async () => {
    const [a, b, c] = ['a.ts', 'b.ts', 'c.ts'].map((name) => join(folder, name)) as [string, string, string];
    await Promise.all([a, b].map((file) => writeFile(file, 'one')));
    watchAll(a, b, c);
    await put(a, 'one');
    await put(b, 'two');
    expect(await saved()).toEqual([b]);
    await put(c, 'new');
    expect(await saved()).toEqual([c]);
    await put(a, 'two');
    expect(await saved()).toEqual([a]);
    expect(watch.take()).toBeUndefined();
  });

  it('untilSaved() reports files of folders that go and come again', async () => {
    const inner = join(folder, 'x/y');
    const file = join(inner, 'a.ts');
    await mkdir(inner, { recursive: true });
    await writeFile(file, 'one');
    watchAll(file);
    await rm(join(folder, 'x'), { recursive: true });
    expect(await saved()).toEqual([file]);
    await mkdir(inner, { recursive: true });
    await writeFile(file, 'one');
    expect(await saved()).toEqual([file]);
    await writeFile(file, 'two');
    expect(await saved()).toEqual([file]);
  });

  it('untilSaved() reports files of a folder that comes again beside files that are watched', async () => {
    const [inner, beside] = [join(folder, 'x/y'), join(folder, 'a.ts')];
    const file = join(inner, 'b.ts');
    await mkdir(inner, { recursive: true });
    await Promise.all([file, beside].map((path) => writeFile(path, 'one')));
    watchAll(file, beside);
    await rm(join(folder, 'x'), { recursive: true });
    expect(await saved()).toEqual([file]);
    await mkdir(inner, { recursive: true });
    await writeFile(file, 'two');
    expect(await saved()).toEqual([file]);
    await put(beside, 'two');
    expect(await saved()).toEqual([beside]);
  });

  // The new folder may have the inode of the old one.
  it('untilSaved() reports files of a folder that is made anew at once', async () => {
    const [inner, beside] = [join(folder, 'x'), join(folder, 'a.ts')];
    const file = join(inner, 'b.ts');
    await mkdir(inner);
    await Promise.all([file, beside].map((path) => writeFile(path, 'one')));
    watchAll(file, beside);
    rmSync(inner, { recursive: true });
    mkdirSync(inner);
    expect(await saved()).toEqual([file]);
    await writeFile(file, 'two');
    expect(await saved()).toEqual([file]);
  });

  it('watch() reports what was saved since it was read, at once', async () => {
    const file = join(folder, 'a.ts');
    await writeFile(file, 'one');
    const read = { [file]: hashOf(file) };
    await writeFile(file, 'two');
    watch.watch(read);
    expect(await saved()).toEqual([file]);
  });
});
