import type { DevOutput } from '../output.ts';
import type { Project } from '../project.ts';
import { define } from './define.ts';
import type { DevCluster } from './dev-cluster.ts';
import type { Installation } from './installation.ts';
import type { ManifestFiles } from './manifest-files.ts';

/** The cluster and the installation that a project is installed into. */
export interface ProjectHome {
  readonly dev: DevCluster;
  readonly installation: Pick<Installation, 'grant'>;
  readonly manifests: Pick<ManifestFiles, 'apply'>;
  readonly output: DevOutput;
}

/**
 * Installs the CRDs and the rights of a project. Then applies the manifests that wait (see {@link ManifestFiles}), because they
 * may need the new CRDs.
 *
 * @returns the kubeconfig of the operator; undefined after an error, which is already printed
 */
export const installProject = async (
  project: Project,
  { dev, installation, manifests, output }: ProjectHome,
): Promise<string | undefined> => {
  try {
    output.definitions(await define(dev, project.definitions));
    output.limits(project);
    await installation.grant(project.rules);
    await manifests.apply();
    return await dev.operatorKubeconfig();
  } catch (error) {
    output.error(error);
    return undefined;
  }
};
