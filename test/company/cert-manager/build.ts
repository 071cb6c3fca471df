import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { copyModuleSource, downloadModule } from '#test/company/gitops/module-source.ts';
import { type BuildStep, buildMissing } from '#test/control-plane/build.ts';
import { findGo, runGo } from '#test/control-plane/go.ts';
import { createProgress } from '#test/control-plane/progress.ts';
import { buildEnvironment, cacheRoot } from '#test/control-plane/recipe.ts';

/** The newest version that Go 1.26 compiles. */
const CERT_MANAGER = 'github.com/cert-manager/cert-manager@v1.21.2';

/**
 * A program that runs some controllers of cert-manager. cert-manager's own programs are in Go modules that replace its main
 * module by a folder, so a module proxy does not serve them. The controllers are in the main module. This program is built
 * inside of it, because they use internal packages.
 */
const MAIN = join(import.meta.dirname, 'main.go');

const FLAGS = ['-mod=readonly', '-buildvcs=false', '-ldflags=-s -w'];

/** Kinds of the objects that an Operator makes, and of the objects that follow from them. */
const DEFINITIONS = ['issuers', 'clusterissuers', 'certificates', 'certificaterequests'] as const;

/** The parts of cert-manager that are used here. */
export interface CertManagerFiles {
  readonly program: string;
  /** The CRDs of cert-manager, in one file. */
  readonly definitions: string;
}

const folderOf = async (): Promise<string> => {
  const recipe = [process.platform, process.arch, buildEnvironment, CERT_MANAGER, FLAGS, DEFINITIONS];
  const hash = createHash('sha256')
    .update(JSON.stringify(recipe))
    .update(await readFile(MAIN));
  return join(cacheRoot(), 'cert-manager', hash.digest('hex').slice(0, 16));
};

const program = (go: () => Promise<string>): BuildStep => ({
  name: 'cert-manager',
  title: CERT_MANAGER,
  make: async (target) => {
    const scratch = dirname(target);
    const folder = await copyModuleSource(await go(), { module: CERT_MANAGER, edits: [], scratch });
    const place = join(folder, 'internal/alone');
    await mkdir(place);
    await copyFile(MAIN, join(place, 'main.go'));
    await runGo(await go(), ['build', ...FLAGS, '-o', target, './internal/alone'], { folder, scratch });
  },
});

const definitions = (go: () => Promise<string>): BuildStep => ({
  name: 'definitions.yaml',
  title: 'definitions of cert-manager',
  make: async (target) => {
    const folder = await downloadModule(await go(), { module: CERT_MANAGER, scratch: dirname(target) });
    const files = DEFINITIONS.map((name) => readFile(join(folder, `deploy/crds/cert-manager.io_${name}.yaml`), 'utf8'));
    await writeFile(target, (await Promise.all(files)).join('\n---\n'));
  },
});

/**
 * Finds cert-manager's controllers, or builds them from their module: some minutes, once.
 *
 * @throws {ControlPlaneError} GO_MISSING, GO_TOO_OLD or BUILD_FAILED
 */
export const provideCertManager = async (): Promise<CertManagerFiles> => {
  let found: Promise<string> | undefined;
  const go = (): Promise<string> => (found ??= findGo());
  const folder = await folderOf();
  await buildMissing([program(go), definitions(go)], { folder, progress: createProgress() });
  return { program: join(folder, 'cert-manager'), definitions: join(folder, 'definitions.yaml') };
};
