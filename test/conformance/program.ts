import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { provideArtifacts } from '#test/control-plane/binaries.ts';
import { type BuildStep, buildMissing } from '#test/control-plane/build.ts';
import { findGo, runGo } from '#test/control-plane/go.ts';
import { createProgress } from '#test/control-plane/progress.ts';
import { buildEnvironment, cacheRoot } from '#test/control-plane/recipe.ts';

const NAME = 'e2e.test';
const GO_PACKAGE = 'k8s.io/kubernetes/test/e2e';
const goFolder = join(import.meta.dirname, 'go');

/** The tags of the control plane, so that Go reuses its compiled packages. */
const FLAGS = ['-vet=off', '-mod=readonly', '-buildvcs=false', '-tags=selinux,notest,grpcnotrace', '-ldflags=-s -w'];

const readGoFile = (name: 'go.mod' | 'go.sum'): string => readFileSync(join(goFolder, name), 'utf8');

/** The Kubernetes version of the tests, such as `v1.36.4`. */
export const kubernetesVersion = (): string => {
  const [, version] = /^\s*k8s\.io\/kubernetes (\S+)/m.exec(readGoFile('go.mod')) ?? [];
  if (version === undefined)
    throw new TypeError(`Cannot read the version of k8s.io/kubernetes from ${goFolder}/go.mod`);
  return version;
};

/** Outside the repository, one folder per set of sources and flags. */
const cacheFolder = (): string => {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([process.platform, process.arch, buildEnvironment, FLAGS, GO_PACKAGE]));
  hash.update(readGoFile('go.mod')).update(readGoFile('go.sum'));
  return join(cacheRoot(), 'conformance', hash.digest('hex').slice(0, 16));
};

const build = async (target: string): Promise<void> => {
  const args = ['test', '-c', ...FLAGS, '-o', target, GO_PACKAGE];
  await runGo(await findGo(), args, { folder: goFolder, scratch: dirname(target) });
};

/** The programs of a run. */
export interface Programs {
  readonly e2e: string;
  readonly kubectl: string;
}

/**
 * Finds Kubernetes' own end-to-end tests, and the kubectl that some of them use, in the cache, or builds them with Go.
 *
 * @throws {ControlPlaneError} GO_MISSING, GO_TOO_OLD or BUILD_FAILED
 */
export const providePrograms = async (): Promise<Programs> => {
  const { kubectl } = await provideArtifacts(['kubectl']);
  const folder = cacheFolder();
  const step: BuildStep = { name: NAME, title: `${NAME} ${kubernetesVersion()}`, make: build };
  await buildMissing([step], { folder, progress: createProgress() });
  return { e2e: join(folder, NAME), kubectl };
};
