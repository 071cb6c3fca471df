import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type BuildStep, buildMissing } from '#test/control-plane/build.ts';
import { findGo, runGo } from '#test/control-plane/go.ts';
import { createProgress } from '#test/control-plane/progress.ts';
import { buildEnvironment, cacheRoot } from '#test/control-plane/recipe.ts';

/** The newest version that Go 1.26 compiles. */
const KYVERNO = 'github.com/kyverno/kyverno@v1.19.1';

/** The parts of Kyverno's admission controller. */
export interface KyvernoFiles {
  readonly program: string;
  /** The CRDs of Kyverno, in one file. */
  readonly definitions: string;
}

const folderOf = (): string => {
  const recipe = [process.platform, process.arch, buildEnvironment, KYVERNO];
  return join(cacheRoot(), 'kyverno', createHash('sha256').update(JSON.stringify(recipe)).digest('hex').slice(0, 16));
};

const downloaded = async (go: string, scratch: string): Promise<string> => {
  const output = await runGo(go, ['mod', 'download', '-json', KYVERNO], { folder: scratch, scratch });
  return (JSON.parse(output) as { readonly Dir: string }).Dir;
};

/**
 * Kyverno's go.mod replaces a module, which takes effect only when Go runs in the folder of this go.mod. The module cache is
 * read-only, hence a copy.
 */
const copyOf = async (source: string, folder: string): Promise<string> => {
  await cp(source, folder, { recursive: true });
  await promisify(execFile)('chmod', ['-R', 'u+w', folder]);
  return folder;
};

const program = (go: () => Promise<string>): BuildStep => ({
  name: 'kyverno',
  title: KYVERNO,
  make: async (target) => {
    const scratch = dirname(target);
    const folder = await copyOf(await downloaded(await go(), scratch), join(scratch, 'source'));
    const flags = ['-mod=readonly', '-buildvcs=false', '-ldflags=-s -w'];
    await runGo(await go(), ['build', ...flags, '-o', target, './cmd/kyverno'], { folder, scratch });
    await chmod(target, 0o755);
  },
});

const definitions = (go: () => Promise<string>): BuildStep => ({
  name: 'definitions.yaml',
  title: 'definitions of Kyverno',
  make: async (target) => {
    const folder = join(await downloaded(await go(), dirname(target)), 'config/crds');
    const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.yaml')).toSorted();
    const texts = await Promise.all(files.map(async (file) => readFile(join(folder, file), 'utf8')));
    await writeFile(target, texts.join('\n---\n'));
  },
});

/**
 * Finds Kyverno's admission controller, or builds it from its module: some minutes, once.
 *
 * @throws {ControlPlaneError} GO_MISSING, GO_TOO_OLD or BUILD_FAILED
 */
export const provideKyverno = async (): Promise<KyvernoFiles> => {
  let found: Promise<string> | undefined;
  const go = (): Promise<string> => (found ??= findGo());
  const folder = folderOf();
  await buildMissing([program(go), definitions(go)], { folder, progress: createProgress() });
  return { program: join(folder, 'kyverno'), definitions: join(folder, 'definitions.yaml') };
};
