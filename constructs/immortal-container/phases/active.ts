import type { Clock } from '#lib/desired/clock.ts';
import { apply, keep, remove } from '#lib/desired/result/intent.ts';
import { progressing, ready, type State } from '#lib/desired/result/state.ts';
import { type ContainerFailure, containerFailureOf } from '#lib/workload/container-failure.ts';
import type { ObservedPod } from '#lib/workload/pod-state.ts';
import type { LifeDecision, PodDecisionInput } from '../decision.ts';
import { podIntent } from '../intent.ts';
import { isUnschedulable, ordinalOf, readySinceOf } from '../look/pod.ts';
import { differInImageOnly, markedRevision, revisionOf } from '../revision.ts';

/**
 * The state of a pod with a container that cannot run. An invalid image name has the reason `ImagePullFailed`, too, because
 * scripts may match this reason.
 */
const failing = ({ reason, message }: ContainerFailure): State =>
  progressing(
    reason === 'InvalidImageName' ? 'ImagePullFailed' : reason,
    `${message}; an edit of the spec replaces the pod at once`,
  );

const stateOf = (pod: ObservedPod, failure: ContainerFailure | undefined): State => {
  if (readySinceOf(pod) !== undefined) return ready('PodReady', 'the pod is ready');
  if (failure !== undefined) return failing(failure);
  if (isUnschedulable(pod))
    return progressing('Unschedulable', 'no node takes the pod: see its condition PodScheduled');
  return progressing('PodNotReady', pod.status?.phase === 'Pending' ? 'the pod is starting' : 'the pod is not ready');
};

const phaseOf = (pod: ObservedPod): LifeDecision['phase'] => (pod.status?.phase === 'Pending' ? 'Pending' : 'Running');

/**
 * The decision for a pod whose run has not ended. The pod is kept, updated in place, replaced, or deleted because of
 * `spec.suspend`.
 */
export const decideActivePod = (
  { resource, memory, pod }: PodDecisionInput,
  { clock }: { readonly clock: Clock },
): LifeDecision => {
  const { spec, metadata, status } = resource;
  if (spec.suspend) return suspending(pod);
  const wanted = revisionOf(spec);
  const actual = memory.revision ?? wanted;
  if (actual === wanted) {
    const failure = containerFailureOf(pod, { conditions: status?.conditions, clock });
    const state = stateOf(pod, failure);
    return { phase: phaseOf(pod), children: [keep(pod)], state, ...(failure && { failure }) };
  }
  const isInPlace =
    spec.updatePolicy === 'InPlace' && markedRevision(pod) === actual && differInImageOnly(actual, wanted);
  if (!isInPlace) {
    const state = progressing('Replacing', 'the pod is of an earlier spec: it is deleted, then another is started');
    return { phase: 'Replacing', children: [remove(pod, 'Replaced')], state };
  }
  const ordinal = Math.max(1, ordinalOf(pod));
  const state = progressing('UpdatingInPlace', 'the image of the pod is changed where it runs');
  return { phase: phaseOf(pod), children: [apply(podIntent({ name: metadata.name, spec, ordinal }))], state };
};

const suspending = (pod: ObservedPod): LifeDecision => ({
  phase: 'Suspended',
  children: [remove(pod, 'Suspended')],
  state: progressing('Suspending', 'the pod is being stopped'),
});
