import type { PodTemplateSpec } from 'kubernetes-types/core/v1.js';
import { shortHash } from '#lib/desired/canonical/canonical.ts';
import type { ObservedPod } from './pod-state.ts';

/**
 * The label of pods with the hash of their revision, as StatefulSets and DaemonSets use it.
 *
 * @see https://github.com/kubernetes/api/blob/master/apps/v1/types.go (ControllerRevisionHashLabelKey)
 */
export const REVISION_LABEL = 'controller-revision-hash';

/** The revision in a pod's label {@link REVISION_LABEL}; `undefined` for a pod without it. */
export const podRevision = ({ metadata }: Pick<ObservedPod, 'metadata'>): string | undefined =>
  metadata?.labels?.[REVISION_LABEL];

const HASH_LENGTH = 10;

/**
 * The hash of a pod template. It depends neither on the order of keys, nor on members that are null or undefined. Defaults of
 * the API server are not filled in, so that a hash stays the same with every version of the server.
 *
 * @param template - as the user wrote it
 * @param collisionCount - a whole number; another count gives another hash of the same template. 0 adds nothing
 * @returns 10 lower-case letters and digits, fit for names and values of labels
 */
export const templateHash = (template: PodTemplateSpec, collisionCount = 0): string =>
  shortHash(collisionCount === 0 ? template : [template, collisionCount], HASH_LENGTH);

/**
 * A copy of a template with additional labels on its pods; they replace equal labels of the template.
 *
 * @param template - not changed
 * @param labels - such as {@link REVISION_LABEL} with a hash
 */
export const withPodLabels = (
  template: PodTemplateSpec,
  labels: Readonly<Record<string, string>>,
): PodTemplateSpec => ({
  ...template,
  metadata: { ...template.metadata, labels: { ...template.metadata?.labels, ...labels } },
});
