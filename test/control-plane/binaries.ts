import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { type BuildStep, buildMissing } from './build.ts';
import { findGo, makeWithGo } from './go.ts';
import { createProgress, type Progress } from './progress.ts';
import {
  type ArtifactName,
  type BinaryName,
  binaryRecipes,
  cacheFolder,
  chosenKubeModule,
  type GoModule,
  goModuleOf,
  goModuleVersion,
  type KubeModule,
} from './recipe.ts';

/** Paths by artifact. */
export type Artifacts<Name extends ArtifactName = ArtifactName> = Readonly<Record<Name, string>>;

/** Programs of a node. A control plane does without them: kwok replaces them. */
const ofNode: ReadonlySet<BinaryName> = new Set<BinaryName>(['kubelet', 'kube-proxy']);

/** All artifacts of a control plane, the quick ones last: the log shows the slow ones first. */
export const allArtifacts: readonly ArtifactName[] = [
  ...(Object.keys(binaryRecipes) as BinaryName[]).filter((name) => !ofNode.has(name)),
  'kwok-stages.yaml',
];

/** Options of {@link provideArtifacts}. */
export interface ArtifactOptions {
  readonly progress?: Progress;
  /** @default the module of the version in `CONTROL_PLANE_VERSION` */
  readonly kubeModule?: KubeModule;
}

/**
 * Finds the programs of a control plane, and builds the missing ones.
 *
 * Flow: `KUBEBUILDER_ASSETS` (the folder that other Kubernetes test environments use), the cache, a build with Go.
 * Each artifact takes these steps on its own: the usual assets folder has no controller manager.
 * With another version of Kubernetes than the usual one (`CONTROL_PLANE_VERSION`), the first step is left out: the
 * version of the assets is unknown.
 * @throws {ControlPlaneError} UNKNOWN_VERSION, GO_MISSING, GO_TOO_OLD or BUILD_FAILED
 */
export async function provideArtifacts<Name extends ArtifactName>(
  names: readonly Name[],
  { progress = createProgress(), kubeModule = chosenKubeModule() }: ArtifactOptions = {},
): Promise<Artifacts<Name>> {
  const places = names.map((name) => {
    const goModule = goModuleOf(name, kubeModule);
    const asset = kubeModule === 'kube' ? tryAsset(name) : undefined;
    return { name, goModule, asset, folder: cacheFolder(goModule) };
  });
  const toCache = Map.groupBy(
    places.filter(({ asset }) => asset === undefined),
    ({ folder }) => folder,
  );
  for (const [folder, same] of toCache) await buildMissing(toBuildSteps(same), { folder, progress });
  const paths = places.map(({ name, asset, folder }) => [name, asset ?? join(folder, name)] as const);
  return Object.fromEntries(paths) as Artifacts<Name>;
}

function tryAsset(name: ArtifactName): string | undefined {
  const folder = process.env['KUBEBUILDER_ASSETS'];
  if (folder === undefined || folder === '') return undefined;
  try {
    const path = join(folder, name);
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    return undefined;
  }
}

function toBuildSteps(
  artifacts: readonly { readonly name: ArtifactName; readonly goModule: GoModule }[],
): readonly BuildStep[] {
  // Looked for once, and only when a program must be built.
  let go: Promise<string> | undefined;
  return artifacts.map(({ name, goModule }) => ({
    name,
    title: `${name} ${goModuleVersion(goModule)}`,
    make: async (target) => makeWithGo(await (go ??= findGo()), { name, goModule, target }),
  }));
}
