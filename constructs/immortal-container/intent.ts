import type { Container, Pod as KubePod } from 'kubernetes-types/core/v1.js';
import { MAIN_CONTAINER, podNameOf, REVISION, START_ORDINAL } from './identity.ts';
import { revisionOf } from './revision.ts';
import type { Spec } from './types.ts';

/** Whose pod it is, and which start. */
export interface PodInput {
  readonly name: string;
  readonly spec: Spec;
  /** Counted from 1. */
  readonly ordinal: number;
}

/** With `spec.image` in the container `acontainer`, or in the first if none is called so. */
const containersOf = ({ image, template }: Spec): readonly Container[] => {
  const containers = template?.spec?.containers ?? [{ name: MAIN_CONTAINER }];
  const named = containers.findIndex(({ name }) => name === MAIN_CONTAINER);
  return containers.map((container, index) => (index === Math.max(0, named) ? { ...container, image } : container));
};

/** The pod of a resource, whole. Nothing of it depends on anything but the spec and the number of the start. */
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
