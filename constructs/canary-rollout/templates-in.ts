import type { Deployment as KubeDeployment } from 'kubernetes-types/apps/v1.js';
import { type Revision, revisionName } from '#lib/desired/controller-revision.ts';
import { REVISION_LABEL } from './engine/child.ts';

/** Snapshots that somebody deleted are made up for by what still runs. */
export const templatesIn = (name: string, deployments: readonly Readonly<KubeDeployment>[]): Revision[] =>
  deployments.flatMap(({ metadata, spec }) => {
    const hash = metadata?.labels?.[REVISION_LABEL];
    return hash === undefined || spec === undefined
      ? []
      : [{ name: revisionName(name, hash), hash, number: 0, template: spec.template }];
  });
