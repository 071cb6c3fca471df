import type { Observation } from '#lib/desired/observation.ts';
import { Pod, reading } from '#lib/kind/handles/reference.ts';
import { CONTAINER_FIELDS } from '#lib/workload/container-failure.ts';
import type { ObservedPod } from '#lib/workload/pod-state.ts';
import { DEPLOYMENT_REVISION_LABEL } from './engine/pods/child.ts';

/** The handle for look-ups of the pods of a rollout. These pods affect only messages, conditions and events, not decisions. */
export const RolloutPod = { ...reading(Pod, CONTAINER_FIELDS), onlyInforms: true } as const;

/**
 * Makes the function that looks up the pods of a revision by their labels. The loop starts a pass 250 ms after a
 * change of these pods.
 *
 * @param own - the labels that the pods of all revisions have
 */
export const podsOfRevision =
  (related: Observation<unknown>['related'], own: Readonly<Record<string, string>>) =>
  (hash: string): readonly ObservedPod[] =>
    related.list(RolloutPod, { ...own, [DEPLOYMENT_REVISION_LABEL]: hash });
