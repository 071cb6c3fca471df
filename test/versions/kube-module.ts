import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ControlPlaneError } from '#test/control-plane/error.ts';
import { findGo, runGo } from '#test/control-plane/go.ts';
import { binaryRecipes, goModuleFolder, type KubeModule, kubeModules } from '#test/control-plane/recipe.ts';
import { makeScratch } from '#test/control-plane/scratch.ts';

/** Programs of a control plane. The module of the version for development has the programs of a node, too. */
const CONTROL_PLANE = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl'] as const;

const development: KubeModule = 'kube';

const commandsOf = (kubeModule: KubeModule): readonly string[] =>
  kubeModule === development
    ? Object.values(binaryRecipes).flatMap(({ goModule, goPackage }) => (goModule === development ? [goPackage] : []))
    : CONTROL_PLANE.map((name) => binaryRecipes[name].goPackage);

const block = (verb: string, lines: readonly string[]): string =>
  `${verb} (\n${lines
    .toSorted()
    .map((line) => `\t${line}\n`)
    .join('')})\n`;

const stagingIn = (upstream: string): readonly string[] => [
  ...new Set(
    Array.from(upstream.matchAll(/^\s*(?:replace )?(k8s\.io\/\S+) => \.\/staging\//gm), ([, name = '']) => name),
  ),
];

/** The Go version whose behaviour a version of Kubernetes asks for. Before 1.31 its go.mod has no line for this setting. */
const goDebug = (upstream: string): string => {
  const [, stated] = /^godebug default=(\S+)/m.exec(upstream) ?? [];
  const [, language = ''] = /^go (\d+\.\d+)/m.exec(upstream) ?? [];
  return stated ?? `go${language}`;
};

/** What to write in go.mod. */
export interface KubePin {
  readonly kubeModule: KubeModule;
  /** The version of Kubernetes without the `v`, such as `1.33.13`. */
  readonly version: string;
  /** The go.mod of `k8s.io/kubernetes` in this version. */
  readonly upstream: string;
}

/** A go.mod for the programs of a Kubernetes version, to be completed by `go mod tidy`. */
export const goModOf = ({ kubeModule, version, upstream }: KubePin): string =>
  [
    `module cdk8s-reconcile/control-plane/${kubeModule}\n`,
    'go 1.26.0\n',
    `godebug default=${goDebug(upstream)}\n`,
    `require k8s.io/kubernetes v${version}\n`,
    [
      "// Kubernetes replaces its staging modules by folders of its own tree; a dependency's replaces are ignored,",
      '// so the published versions of the same release are named here.',
      block(
        'replace',
        stagingIn(upstream).map((name) => `${name} => ${name} v0.${version.split('.').slice(1).join('.')}`),
      ),
    ].join('\n'),
    block('tool', commandsOf(kubeModule)),
  ].join('\n');

const minorPattern = /^(1\.\d+)\.\d+$/;

const upstreamOf = async (go: string, version: string, scratch: string): Promise<string> => {
  try {
    const args = ['mod', 'download', '-json', `k8s.io/kubernetes@v${version}`];
    const output = await runGo(go, args, { folder: scratch, scratch });
    return readFile((JSON.parse(output) as { readonly GoMod: string }).GoMod, 'utf8');
  } catch (cause) {
    throw new ControlPlaneError(
      'UNKNOWN_VERSION',
      `Cannot get Kubernetes ${version}: the Go module proxy does not have it, or cannot be reached`,
      { cause },
    );
  }
};

/**
 * Writes go.mod and go.sum for a version of Kubernetes.
 * @returns their folder
 * @throws {ControlPlaneError} UNKNOWN_VERSION, GO_MISSING, GO_TOO_OLD, BUILD_FAILED
 */
export const pinKubernetes = async (version: string): Promise<string> => {
  const [, minor] = minorPattern.exec(version) ?? [];
  if (minor === undefined)
    throw new ControlPlaneError(
      'UNKNOWN_VERSION',
      `Cannot pin Kubernetes "${version}": expected a version such as 1.34.4`,
    );
  const kubeModule = kubeModules().get(minor) ?? (`kube-${minor}` as const);
  const scratch = await makeScratch(tmpdir(), 'cdk8s-reconcile-pin');
  try {
    const go = await findGo();
    const upstream = await upstreamOf(go, version, scratch);
    const folder = goModuleFolder(kubeModule);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'go.mod'), goModOf({ kubeModule, version, upstream }));
    await runGo(go, ['mod', 'tidy'], { folder, scratch });
    return folder;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
};
