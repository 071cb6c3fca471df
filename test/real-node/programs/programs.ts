import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Artifacts, provideArtifacts } from '#test/control-plane/binaries.ts';
import { type BuildStep, buildMissing } from '#test/control-plane/build.ts';
import { findGo, runGo } from '#test/control-plane/go.ts';
import { createProgress } from '#test/control-plane/progress.ts';
import { buildEnvironment, cacheRoot } from '#test/control-plane/recipe.ts';
import { debianPackages, libraryFolders, unpackPackages } from './debian.ts';

const execute = promisify(execFile);

/** Programs of Kubernetes that a node needs. */
const KUBERNETES = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
  'kubelet',
  'kube-proxy',
] as const;

/** The programs of a node, and where they are. */
export interface NodePrograms {
  readonly kubernetes: Artifacts<(typeof KUBERNETES)[number]>;
  /** The folder with containerd, its shim, runc, the CNI plugins and the first process. */
  readonly folder: string;
  /** Unpacked Debian packages. */
  readonly debian: string;
}

type Module = 'containerd' | 'runc' | 'cni';

interface GoRecipe {
  readonly goModule: Module;
  readonly goPackage: string;
  readonly flags: readonly string[];
}

const goFolder = (goModule: Module): string => join(import.meta.dirname, '../go', goModule);

const CONTAINERD = 'github.com/containerd/containerd/v2';

/** The version in go.mod. Without this version in its build, nodes report an unknown version of containerd. */
const containerdVersion = (): string =>
  new RegExp(`${CONTAINERD} (v[^\\s]+)`).exec(readFileSync(join(goFolder('containerd'), 'go.mod'), 'utf8'))?.[1] ?? '';

/** A program of containerd, without support for file systems that need C libraries. */
const containerd = (name: string): GoRecipe => ({
  goModule: 'containerd',
  goPackage: `${CONTAINERD}/cmd/${name}`,
  flags: [
    '-tags=no_btrfs,no_devmapper,no_zfs,no_tracing,netgo,osusergo,static_build',
    `-ldflags=-s -w -X ${CONTAINERD}/version.Version=${containerdVersion()}`,
  ],
});

const cni = (path: string): GoRecipe => ({
  goModule: 'cni',
  goPackage: `github.com/containernetworking/plugins/plugins/${path}`,
  flags: ['-ldflags=-s -w'],
});

/** The recipes of the programs, the slow builds first. */
const recipes = (): Readonly<Record<string, GoRecipe>> => ({
  containerd: containerd('containerd'),
  'containerd-shim-runc-v2': containerd('containerd-shim-runc-v2'),
  ctr: containerd('ctr'),
  runc: {
    goModule: 'runc',
    goPackage: 'github.com/opencontainers/runc',
    flags: ['-tags=seccomp,netgo,osusergo,cgo,static_build', '-ldflags=-s -w -linkmode=external -extldflags=-static'],
  },
  bridge: cni('main/bridge'),
  'host-local': cni('ipam/host-local'),
  loopback: cni('main/loopback'),
});

/**
 * runc has C code of its own, and links libseccomp of the unpacked package. `true` replaces pkg-config, which finds only
 * installed packages.
 */
const cgoEnvironment = (debian: string): Readonly<Record<string, string>> => ({
  CGO_ENABLED: '1',
  PKG_CONFIG: 'true',
  CGO_CFLAGS: `-I${join(debian, 'usr/include')}`,
  CGO_LDFLAGS: `${libraryFolders(debian)
    .map((folder) => `-L${folder}`)
    .join(' ')} -lseccomp`,
});

const INIT_SOURCE = join(import.meta.dirname, 'init.c');

const compileInit = async (target: string): Promise<void> =>
  void (await execute('gcc', ['-Os', '-static', '-s', '-o', target, INIT_SOURCE]));

/** One folder per set of sources, flags and distribution. */
const cacheFolder = (): string => {
  const hash = createHash('sha256').update(JSON.stringify([process.arch, buildEnvironment, recipes(), debianPackages]));
  hash.update(readFileSync('/etc/os-release')).update(readFileSync(INIT_SOURCE));
  for (const goModule of ['containerd', 'runc', 'cni'] as const)
    for (const file of ['go.mod', 'go.sum']) hash.update(readFileSync(join(goFolder(goModule), file)));
  return join(cacheRoot(), 'real-node', hash.digest('hex').slice(0, 16));
};

const steps = (folder: string): readonly BuildStep[] => {
  const debian = join(folder, 'debian');
  let go: Promise<string> | undefined;
  const goSteps = Object.entries(recipes()).map(([name, { goModule, goPackage, flags }]) => ({
    name,
    title: name,
    make: async (target: string) => {
      const args = ['build', '-mod=readonly', '-buildvcs=false', ...flags, '-o', target, goPackage];
      const env = goModule === 'runc' ? cgoEnvironment(debian) : {};
      await runGo(await (go ??= findGo()), args, { folder: goFolder(goModule), scratch: dirname(target), env });
    },
  }));
  return [
    { name: 'debian', title: 'Debian packages of the node', make: unpackPackages },
    { name: 'init', title: 'the first process of the node', make: compileInit },
    ...goSteps,
  ];
};

/**
 * Finds the programs of a node, and builds the missing ones: five minutes on two cores after those of a control plane.
 *
 * @throws {ControlPlaneError} GO_MISSING, GO_TOO_OLD or BUILD_FAILED
 */
export const provideNodePrograms = async (): Promise<NodePrograms> => {
  const kubernetes = await provideArtifacts(KUBERNETES);
  const folder = cacheFolder();
  await buildMissing(steps(folder), { folder, progress: createProgress() });
  return { kubernetes, folder, debian: join(folder, 'debian') };
};
