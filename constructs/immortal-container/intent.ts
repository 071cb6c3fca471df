import type { Container, Pod as KubePod } from 'kubernetes-types/core/v1.js';
import { MAIN_CONTAINER, mainContainerOf, podNameOf, REVISION, START_ORDINAL } from './identity.ts';
import { revisionOf } from './revision.ts';
import type { Spec } from './types.ts';

/** The input of {@link podIntent}. */
export interface PodInput {
  readonly name: string;
  readonly spec: Spec;
  /** The number of the start, counted from 1. */
  readonly ordinal: number;
}

const containersOf = (spec: Spec): readonly Container[] => {
  const containers = spec.template?.spec?.containers ?? [{ name: MAIN_CONTAINER }];
  const main = mainContainerOf(spec);
  return containers.map((container) => (container.name === main ? { ...container, image: spec.image } : container));
};

/** Makes the pod of a resource. The pod depends only on the name, the spec and the number of the start. */
export const podIntent = ({ name, spec, ordinal }: PodInput): KubePod => {
  const { labels, annotations } = spec.template?.metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: podNameOf(name),
      labels: { ...labels, app: name },
      annotations: { ...annotations, [START_ORDINAL]: String(ordinal), [REVISION]: revisionOf(spec) },
    },
    spec: { ...spec.template?.spec, restartPolicy: spec.restartPolicy, containers: [...containersOf(spec)] },
  };
};
