import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type BuildStep, buildMissing } from '#test/control-plane/build.ts';
import { findGo, runGo } from '#test/control-plane/go.ts';
import { createProgress } from '#test/control-plane/progress.ts';
import { cacheRoot } from '#test/control-plane/recipe.ts';

const execute = promisify(execFile);

const goFolder = join(import.meta.dirname, 'go');
const GO_PACKAGES = {
  'kube-score': 'github.com/zegl/kube-score/cmd/kube-score',
  kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform',
} as const;

/** From PyPI; a folder of Python packages. */
const CHECKOV = 'checkov==3.3.30';

/** A linter that is not in this repository. */
export type Linter = keyof typeof GO_PACKAGES | 'checkov';

/** Outside the repository, one folder per set of versions. */
const cacheFolder = (): string => {
  const hash = createHash('sha256').update(JSON.stringify([process.platform, process.arch, CHECKOV]));
  for (const file of ['go.mod', 'go.sum']) hash.update(readFileSync(join(goFolder, file)));
  return join(cacheRoot(), 'bundle-lint', hash.digest('hex').slice(0, 16));
};

const buildWithGo = async (goPackage: string, target: string): Promise<void> => {
  const args = ['build', '-mod=readonly', '-buildvcs=false', '-ldflags=-s -w', '-o', target, goPackage];
  await runGo(await findGo(), args, { folder: goFolder, scratch: dirname(target) });
};

const installWithPip = async (target: string): Promise<void> => {
  await mkdir(target);
  const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', target, CHECKOV];
  await execute('python3', args, { maxBuffer: 16 * 1024 * 1024 });
};

const stepOf = (name: Linter): BuildStep => ({
  name,
  title: name,
  make: async (target) => (name === 'checkov' ? installWithPip(target) : buildWithGo(GO_PACKAGES[name], target)),
});

/** The linters that need only Go, as the control plane does; checkov needs Python and more time. */
export const quickLinters: readonly Linter[] = ['kube-score', 'kubeconform'];

/**
 * Finds linters in the cache, and builds or installs the missing ones.
 *
 * @returns a path for each: a program, or checkov's packages
 * @throws {Error} with the output of Go or pip
 */
export const provideLinters = async (names: readonly Linter[]): Promise<ReadonlyMap<Linter, string>> => {
  const folder = cacheFolder();
  await buildMissing(names.map(stepOf), { folder, progress: createProgress() });
  return new Map(names.map((name) => [name, join(folder, name)]));
};
