import type { Pod as KubePod } from 'kubernetes-types/core/v1.js';
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

/** The pod of a resource, whole. Nothing of it depends on anything but the spec and the number of the start. */
export const podIntent = ({ name, spec, ordinal }: PodInput): KubePod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: podNameOf(name),
    labels: { app: name },
    annotations: { [START_ORDINAL]: String(ordinal), [REVISION]: revisionOf(spec) },
  },
  spec: {
    restartPolicy: spec.restartPolicy,
    containers: [{ name: MAIN_CONTAINER, image: spec.image }],
  },
});
