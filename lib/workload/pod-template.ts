import type { PodTemplateSpec } from 'kubernetes-types/core/v1.js';
import { shortHash } from '#lib/desired/canonical/canonical.ts';
import type { ObservedPod } from './pod-state.ts';

/**
 * The label of pods with the hash of their revision, as StatefulSets and DaemonSets use it.
 *
 * @see https://github.com/kubernetes/api/blob/master/apps/v1/types.go (ControllerRevisionHashLabelKey)
 */
export const REVISION_LABEL = 'controller-revision-hash';

/** The value of the label {@link REVISION_LABEL} of a pod; `undefined` for a pod without the label. */
export const podRevision = ({ metadata }: Pick<ObservedPod, 'metadata'>): string | undefined =>
  metadata?.labels?.[REVISION_LABEL];

const HASH_LENGTH = 10;

/**
 * Returns the hash of a pod template. The hash does not depend on the order of keys, or on members that are null or undefined.
 * The defaults of the API server are not filled in, so the hash is the same with every version of the API server.
 *
 * @param template - the template as the user wrote it
 * @param collisionCount - a whole number; a different count gives a different hash of the same template. 0 does not change the
 * hash
 * @returns 10 lower-case letters and digits, valid in object names and label values
 */
export const templateHash = (template: PodTemplateSpec, collisionCount = 0): string =>
  shortHash(collisionCount === 0 ? template : [template, collisionCount], HASH_LENGTH);

/**
 * Returns a copy of a template with additional labels on its pods. An additional label replaces a label of the template with
 * the same key.
 *
 * @param template - the template; it is not changed
 * @param labels - such as {@link REVISION_LABEL} with a hash
 */
export const withPodLabels = (
  template: PodTemplateSpec,
  labels: Readonly<Record<string, string>>,
): PodTemplateSpec => ({
  ...template,
  metadata: { ...template.metadata, labels: { ...template.metadata?.labels, ...labels } },
});
