import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { type PackageManifest, publishedManifest } from './package/manifest.ts';
import { withRelativeImports } from './package/relative-imports.ts';

const fromRoot = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

const SOURCES = ['lib', 'constructs'];
/** Folders that are copied without compilation: templates for projects of users, and the pages that the README links to. */
const COPIED_FOLDERS = ['templates', 'docs'];
const COPIED_FILES = ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'LICENSE'];

const filesIn = async (folder: string, extension: string): Promise<readonly string[]> => {
  const files = await readdir(folder, { recursive: true });
  return files.filter((file) => file.endsWith(extension)).toSorted();
};

/** Compiles each source file to one module, so that stack traces and bundlers can find the sources. */
const compileModules = async (folder: string): Promise<void> => {
  const files = await Promise.all(SOURCES.map(async (name) => [name, await filesIn(fromRoot(name), '.ts')] as const));
  await build({
    absWorkingDir: fromRoot('.'),
    entryPoints: files.flatMap(([name, inside]) => inside.map((file) => join(name, file))),
    format: 'esm',
    logLevel: 'warning',
    outbase: '.',
    outdir: folder,
    platform: 'node',
    sourcemap: 'linked',
    target: 'node22.19',
  });
};

const compileTypes = async (folder: string): Promise<void> => {
  const tsc = fromRoot('node_modules/typescript/bin/tsc');
  const args = [tsc, '--project', fromRoot('tsconfig.package.json'), '--outDir', folder];
  await promisify(execFile)(process.execPath, args, { cwd: fromRoot('.') });
};

/** Copies JSON files, because TypeScript and esbuild copy only code. */
const copyData = async (folder: string): Promise<void> => {
  for (const source of SOURCES)
    for (const file of await filesIn(fromRoot(source), '.json')) {
      await mkdir(dirname(join(folder, source, file)), { recursive: true });
      await copyFile(fromRoot(join(source, file)), join(folder, source, file));
    }
};

const rewriteImports = async (folder: string): Promise<void> => {
  const files = [...(await filesIn(folder, '.js')), ...(await filesIn(folder, '.d.ts'))];
  const rewriteOne = async (file: string): Promise<void> => {
    const path = join(folder, file);
    await writeFile(path, withRelativeImports(file, await readFile(path, 'utf8')));
  };
  await Promise.all(files.map(rewriteOne));
};

/**
 * Writes the npm package as it is published: modules, types, source maps, data, templates, documentation and `package.json`.
 *
 * Guarantees: the same source gives the same bytes.
 *
 * @param folder - the target; its content is removed
 */
export const buildPackage = async (folder: string): Promise<void> => {
  await rm(folder, { recursive: true, force: true });
  const copies = COPIED_FOLDERS.map((name) => cp(fromRoot(name), join(folder, name), { recursive: true }));
  await Promise.all([compileModules(folder), compileTypes(folder), copyData(folder), ...copies]);
  await rewriteImports(folder);
  const manifest = JSON.parse(await readFile(fromRoot('package.json'), 'utf8')) as PackageManifest;
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(publishedManifest(manifest), null, 2)}\n`);
  await Promise.all(COPIED_FILES.map((file) => copyFile(fromRoot(file), join(folder, file))));
};

if (import.meta.main) {
  await buildPackage(fromRoot('dist/package'));
  console.log('dist/package is ready: npm pack ./dist/package');
}
