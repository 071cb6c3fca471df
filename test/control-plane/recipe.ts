import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ControlPlaneError } from './error.ts';

/**
 * The files of a control plane that are not in this repository. The last one is a data file, the others are programs.
 */
export type ArtifactName = BinaryName | 'kwok-stages.yaml';

/** The programs of a control plane, and those of a node that are built from the same modules (test/real-node). */
export type BinaryName =
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kubectl'
  | 'kubelet'
  | 'kube-proxy'
  | 'kwok';

/** The module of Kubernetes: `kube` for the version of all tests, `kube-1.33` for the last patch of another one. */
export type KubeModule = 'kube' | `kube-${string}`;

/** The Go modules in go/. kwok and etcd need newer libraries than Kubernetes was released with. */
export type GoModule = KubeModule | 'etcd' | 'kwok';

/** A program, and the Go package that it is built from. */
export interface BinaryRecipe {
  /** `kube` stands for the chosen version of Kubernetes. */
  readonly goModule: 'kube' | 'etcd' | 'kwok';
  readonly goPackage: string;
}

export const binaryRecipes: Readonly<Record<BinaryName, BinaryRecipe>> = {
  etcd: { goModule: 'etcd', goPackage: 'go.etcd.io/etcd/server/v3' },
  'kube-apiserver': { goModule: 'kube', goPackage: 'k8s.io/kubernetes/cmd/kube-apiserver' },
  'kube-controller-manager': { goModule: 'kube', goPackage: 'k8s.io/kubernetes/cmd/kube-controller-manager' },
  'kube-scheduler': { goModule: 'kube', goPackage: 'k8s.io/kubernetes/cmd/kube-scheduler' },
  kubectl: { goModule: 'kube', goPackage: 'k8s.io/kubernetes/cmd/kubectl' },
  kubelet: { goModule: 'kube', goPackage: 'k8s.io/kubernetes/cmd/kubelet' },
  'kube-proxy': { goModule: 'kube', goPackage: 'k8s.io/kubernetes/cmd/kube-proxy' },
  kwok: { goModule: 'kwok', goPackage: 'sigs.k8s.io/kwok/cmd/kwok' },
};

/**
 * kwok has no built-in behaviour. These stages of its own sources (paths in its module) make nodes and pods ready,
 * complete the pods of jobs, and delete pods.
 */
export const kwokStageFiles = [
  'kustomize/stage/node/fast/node-initialize.yaml',
  'kustomize/stage/pod/fast/pod-ready.yaml',
  'kustomize/stage/pod/fast/pod-complete.yaml',
  'kustomize/stage/pod/fast/pod-delete.yaml',
] as const;

const requiredModules = {
  kube: 'k8s.io/kubernetes',
  etcd: 'go.etcd.io/etcd/server/v3',
  kwok: 'sigs.k8s.io/kwok',
} as const;

const isKube = (goModule: GoModule): goModule is KubeModule => goModule.startsWith('kube');

const goFolder = join(import.meta.dirname, 'go');

/** The folder of a Go module's go.mod and go.sum. */
export function goModuleFolder(goModule: GoModule): string {
  return join(goFolder, goModule);
}

/** `1.36` of `v1.36.4`. */
const minorOf = (version: string): string => version.slice(1).split('.').slice(0, 2).join('.');

/** The modules of Kubernetes by minor version, such as `1.33`; the oldest first. */
export function kubeModules(): ReadonlyMap<string, KubeModule> {
  const modules = readdirSync(goFolder).filter((name) => isKube(name as GoModule)) as KubeModule[];
  const pairs = modules.map((name) => [minorOf(goModuleVersion(name)), name] as const);
  return new Map(pairs.toSorted(([a], [b]) => a.localeCompare(b, 'en', { numeric: true })));
}

/** The variable that chooses another Kubernetes version than that of `kube`. */
export const VERSION_VARIABLE = 'CONTROL_PLANE_VERSION';

/**
 * The module of the version in {@link VERSION_VARIABLE}.
 * @returns `kube` without the variable
 * @throws {ControlPlaneError} UNKNOWN_VERSION when there is no module for it
 */
export function chosenKubeModule(): KubeModule {
  const minor = process.env[VERSION_VARIABLE];
  if (minor === undefined || minor === '') return 'kube';
  const modules = kubeModules();
  const found = modules.get(minor);
  if (found !== undefined) return found;
  throw new ControlPlaneError(
    'UNKNOWN_VERSION',
    `Cannot run Kubernetes "${minor}" (${VERSION_VARIABLE}): expected one of ${[...modules.keys()].join(', ')}`,
  );
}

/** The minor version that tests run on, such as `1.36`. */
export function kubernetesMinor(): string {
  return minorOf(goModuleVersion(chosenKubeModule()));
}

/** The module that an artifact is built from. */
export function goModuleOf(name: ArtifactName, kubeModule: KubeModule): GoModule {
  const goModule = name === 'kwok-stages.yaml' ? 'kwok' : binaryRecipes[name].goModule;
  return goModule === 'kube' ? kubeModule : goModule;
}

/** The version in go.mod, such as `v1.36.4`: the only place with versions. */
export function goModuleVersion(goModule: GoModule): string {
  const required = requiredModules[isKube(goModule) ? 'kube' : goModule];
  const lines = readGoFile(goModule, 'go.mod').split('\n');
  for (const line of lines) {
    const [path, version] = line.replace('require ', '').trim().split(' ');
    if (path === required && version !== undefined) return version;
  }
  throw new TypeError(`Cannot read the version of "${required}" from ${goModuleFolder(goModule)}/go.mod`);
}

/**
 * The arguments of `go build` without output and package. The tags leave out what needs C libraries or a kubelet, and
 * the gRPC tracing that keeps the linker from dropping unused code; `-s -w` drops debug tables: half the size.
 */
export function buildFlags(goModule: GoModule): readonly string[] {
  const stamp = isKube(goModule) ? ` ${versionStamp(goModuleVersion(goModule))}` : '';
  return ['-mod=readonly', '-buildvcs=false', '-tags=selinux,notest,grpcnotrace', `-ldflags=-s -w${stamp}`];
}

/** Settings that influence the output, or make it reproducible. */
export const buildEnvironment = {
  // Go needs no C compiler then, and the output does not depend on the machine's C library.
  CGO_ENABLED: '0',
  // Never download another Go in the background.
  GOTOOLCHAIN: 'local',
  GOFLAGS: '-trimpath',
  // A go.work in a folder above must not change the versions.
  GOWORK: 'off',
} as const;

/** The cache folder of this repository, outside of the work tree. */
export const cacheRoot = (): string =>
  join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'cdk8s-reconcile');

/**
 * The folder of built artifacts: one per set of sources and flags. Programs of another Kubernetes version have a folder
 * of their own.
 */
export function cacheFolder(goModule: GoModule): string {
  const isOther = isKube(goModule) && goModule !== 'kube';
  return join(cacheRoot(), 'control-plane', recipeHash(isOther ? [goModule] : ['kube', 'etcd', 'kwok']));
}

function recipeHash(goModules: readonly GoModule[]): string {
  const hash = createHash('sha256');
  // Machines of different types may share a home folder.
  hash.update(JSON.stringify([process.platform, process.arch, buildEnvironment, binaryRecipes, kwokStageFiles]));
  for (const goModule of goModules) {
    hash.update(JSON.stringify([goModule, buildFlags(goModule)]));
    hash.update(readGoFile(goModule, 'go.mod')).update(readGoFile(goModule, 'go.sum'));
  }
  return hash.digest('hex').slice(0, 16);
}

/** Without this stamp the servers report v0.0.0-master, and clients that check the version misbehave. */
function versionStamp(version: string): string {
  const [major = '', minor = ''] = version.slice(1).split('.');
  const values = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' };
  return ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version']
    .flatMap((path) => Object.entries(values).map(([name, value]) => `-X ${path}.${name}=${value}`))
    .join(' ');
}

function readGoFile(goModule: GoModule, name: 'go.mod' | 'go.sum'): string {
  return readFileSync(join(goModuleFolder(goModule), name), 'utf8');
}
