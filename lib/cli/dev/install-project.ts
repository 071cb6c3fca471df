import { define } from './define.ts';
import type { DevCluster } from './dev-cluster.ts';
import type { Installation } from './installation.ts';
import type { ManifestFiles } from './manifest-files.ts';
import type { Project } from './project.ts';
import type { Telling } from './telling.ts';

/** Where a project is installed. */
export interface ProjectHome {
  readonly dev: DevCluster;
  readonly installation: Pick<Installation, 'grant'>;
  readonly manifests: Pick<ManifestFiles, 'apply'>;
  readonly telling: Telling;
}

/**
 * Puts into the cluster what the operator of a project needs there, then the manifests that wait: their fields may be those of the
 * definitions.
 *
 * @returns the kubeconfig of the operator; undefined when it cannot work, which was told
 */
export const installProject = async (
  { definitions, rules, unconverted }: Project,
  { dev, installation, manifests, telling }: ProjectHome,
): Promise<string | undefined> => {
  try {
    telling.definitions(await define(dev, definitions));
    for (const kind of unconverted) telling.unconverted(kind);
    await installation.grant(rules);
    await manifests.apply();
    return await dev.operatorKubeconfig();
  } catch (error) {
    telling.error(error);
    return undefined;
  }
};
