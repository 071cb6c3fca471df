import { createHash } from 'node:crypto';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BuildStep, buildMissing } from '#test/control-plane/build.ts';
import { findGo, runGo } from '#test/control-plane/go.ts';
import { createProgress } from '#test/control-plane/progress.ts';
import { buildEnvironment, cacheRoot } from '#test/control-plane/recipe.ts';
import { copyModuleSource } from './module-source.ts';

/** The newest versions that Go 1.26 compiles and whose pinned modules the module proxy has. */
const CONTROLLERS = { 'source-controller': 'v1.9.6', 'kustomize-controller': 'v1.9.5' } as const;

/** The controllers pin v0.18.3, which the proxy lacks. */
const REPLACED = 'github.com/fluxcd/pkg/artifact=github.com/fluxcd/pkg/artifact@v0.18.1';

type ControllerName = keyof typeof CONTROLLERS;

/** The parts of Flux that are used here. */
export interface FluxPrograms {
  readonly source: string;
  readonly kustomize: string;
  /** Files with the CRDs, one for each controller. */
  readonly definitions: readonly string[];
}

const folderOf = (): string => {
  const recipe = [process.platform, process.arch, buildEnvironment, CONTROLLERS, REPLACED];
  return join(cacheRoot(), 'flux', createHash('sha256').update(JSON.stringify(recipe)).digest('hex').slice(0, 16));
};

const sourceOf = (go: string, name: ControllerName, scratch: string): Promise<string> => {
  const version = CONTROLLERS[name];
  const api = `github.com/fluxcd/${name}/api`;
  const edits = ['-dropreplace', api, '-require', `${api}@${version}`, '-replace', REPLACED];
  return copyModuleSource(go, { module: `github.com/fluxcd/${name}@${version}`, edits, scratch });
};

const program = (go: () => Promise<string>, name: ControllerName): BuildStep => ({
  name,
  title: `${name} ${CONTROLLERS[name]}`,
  make: async (target) => {
    const scratch = dirname(target);
    const folder = await sourceOf(await go(), name, scratch);
    await runGo(await go(), ['build', '-mod=mod', '-buildvcs=false', '-ldflags=-s -w', '-o', target, '.'], {
      folder,
      scratch,
    });
    await chmod(target, 0o755);
  },
});

const definitions = (go: () => Promise<string>, name: ControllerName): BuildStep => ({
  name: `${name}.yaml`,
  title: `definitions of ${name}`,
  make: async (target) => {
    const folder = join(await sourceOf(await go(), name, dirname(target)), 'config/crd/bases');
    const files = (await readdir(folder)).toSorted();
    const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
    await writeFile(target, texts.join('\n---\n'));
  },
});

/**
 * Finds Flux's controllers, or builds them from their modules: some minutes, once.
 *
 * @throws {ControlPlaneError} GO_MISSING, GO_TOO_OLD or BUILD_FAILED
 */
export const provideFlux = async (): Promise<FluxPrograms> => {
  let found: Promise<string> | undefined;
  const go = (): Promise<string> => (found ??= findGo());
  const names = Object.keys(CONTROLLERS) as ControllerName[];
  const folder = folderOf();
  const steps = names.flatMap((name) => [program(go, name), definitions(go, name)]);
  await buildMissing(steps, { folder, progress: createProgress() });
  return {
    source: join(folder, 'source-controller'),
    kustomize: join(folder, 'kustomize-controller'),
    definitions: names.map((name) => join(folder, `${name}.yaml`)),
  };
};
