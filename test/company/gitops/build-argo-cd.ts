import { createHash } from 'node:crypto';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BuildStep, buildMissing } from '#test/control-plane/build.ts';
import { findGo, runGo } from '#test/control-plane/go.ts';
import { createProgress } from '#test/control-plane/progress.ts';
import { buildEnvironment, cacheRoot } from '#test/control-plane/recipe.ts';
import { copyModuleSource } from './module-source.ts';

const MODULE = 'github.com/argoproj/argo-cd/v3';

/** The newest version that Go 1.26 compiles and whose pinned modules the module proxy has. */
const VERSION = 'v3.5.7';

/** A module within Argo CD's repository, which go.mod replaces by a folder that the module's zip leaves out. */
const ENGINE = 'github.com/argoproj/argo-cd/gitops-engine';
const EDITS = ['-dropreplace', ENGINE, '-require', `${ENGINE}@v0.0.0-20260914071520-c9c369efcc5b`];

const STAMP = [`version=${VERSION.slice(1)}`, `gitTag=${VERSION}`, 'gitTreeState=clean'].map(
  (value) => `-X ${MODULE}/common.${value}`,
);
const FLAGS = ['-mod=mod', '-buildvcs=false', `-ldflags=-s -w ${STAMP.join(' ')}`];

const DEFINITIONS = ['application', 'appproject', 'applicationset'] as const;

/** The parts of Argo CD that are used here. */
export interface ArgoCdPrograms {
  /** One program with all servers of Argo CD; ARGOCD_BINARY_NAME selects a server. */
  readonly program: string;
  /** The CRDs of Argo CD, in one file. */
  readonly definitions: string;
}

const folderOf = (): string => {
  const recipe = [process.platform, process.arch, buildEnvironment, MODULE, VERSION, EDITS, FLAGS, DEFINITIONS];
  return join(cacheRoot(), 'argo-cd', createHash('sha256').update(JSON.stringify(recipe)).digest('hex').slice(0, 16));
};

const program = (go: () => Promise<string>): BuildStep => ({
  name: 'argocd',
  title: `argo-cd ${VERSION}`,
  make: async (target) => {
    const scratch = dirname(target);
    const folder = await copyModuleSource(await go(), { module: `${MODULE}@${VERSION}`, edits: EDITS, scratch });
    await runGo(await go(), ['build', ...FLAGS, '-o', target, './cmd'], { folder, scratch });
    await chmod(target, 0o755);
  },
});

/** Copies a file of the source, or several into one. */
const fromSource = (
  go: () => Promise<string>,
  name: string,
  { paths, mode = 0o644 }: { readonly paths: readonly string[]; readonly mode?: number },
): BuildStep => ({
  name,
  title: `${name} of argo-cd`,
  make: async (target) => {
    const scratch = dirname(target);
    const folder = await copyModuleSource(await go(), { module: `${MODULE}@${VERSION}`, edits: EDITS, scratch });
    const texts = await Promise.all(paths.map((path) => readFile(join(folder, path), 'utf8')));
    await writeFile(target, texts.join('\n---\n'));
    await chmod(target, mode);
  },
});

const definitions = (go: () => Promise<string>): BuildStep =>
  fromSource(go, 'argocd.yaml', { paths: DEFINITIONS.map((name) => `manifests/crds/${name}-crd.yaml`) });

/** The repo-server calls this script by its name. */
const verifier = (go: () => Promise<string>): BuildStep =>
  fromSource(go, 'git-verify-wrapper.sh', { paths: ['hack/git-verify-wrapper.sh'], mode: 0o755 });

/**
 * Finds Argo CD, or builds it from its module: some ten minutes, once.
 *
 * @throws {ControlPlaneError} GO_MISSING, GO_TOO_OLD or BUILD_FAILED
 */
export const provideArgoCd = async (): Promise<ArgoCdPrograms> => {
  let found: Promise<string> | undefined;
  const go = (): Promise<string> => (found ??= findGo());
  const folder = folderOf();
  await buildMissing([program(go), definitions(go), verifier(go)], { folder, progress: createProgress() });
  return { program: join(folder, 'argocd'), definitions: join(folder, 'argocd.yaml') };
};
