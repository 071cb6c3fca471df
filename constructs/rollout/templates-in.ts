import type { Deployment as KubeDeployment } from 'kubernetes-types/apps/v1.js';
import type { Revision } from '#lib/desired/steering.ts';
import { revisionName } from '#lib/workload/controller-revision.ts';
import { DEPLOYMENT_REVISION_LABEL } from './engine/pods/child.ts';

/**
 * Makes a revision from the template of each Deployment with the label {@link DEPLOYMENT_REVISION_LABEL}, as a substitute for a
 * deleted ControllerRevision. These revisions have the number 0, because their order is unknown.
 */
export const templatesIn = (name: string, deployments: readonly Readonly<KubeDeployment>[]): Revision[] =>
  deployments.flatMap(({ metadata, spec }) => {
    const hash = metadata?.labels?.[DEPLOYMENT_REVISION_LABEL];
    return hash === undefined || spec === undefined
      ? []
      : [{ name: revisionName(name, hash), hash, number: 0, template: spec.template }];
  });
