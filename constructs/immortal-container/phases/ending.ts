import type { Node as KubeNode } from 'kubernetes-types/core/v1.js';
import { OUT_OF_SERVICE } from '#constructs/immortal-container/identity.ts';
import { after, type Clock, type Instant } from '#lib/desired/clock.ts';
import type { Related } from '#lib/desired/observation.ts';
import { keep, remove } from '#lib/desired/result/intent.ts';
import { progressing, stalled } from '#lib/desired/result/state.ts';
import { Node } from '#lib/kind/handles/reference.ts';
import type { ObservedPod } from '#lib/workload/pod-state.ts';
import type { LifeDecision, PodDecisionInput } from '../decision.ts';
import { isRecorded, remembered } from '../look/memory.ts';
import type { Observed } from '../types.ts';

/** Seconds after the end of the grace period after which a terminating pod counts as stuck. */
const STUCK_SECONDS = 60;

const FORCING = 'ForceDeleting';

/**
 * The decision for a pod whose run has ended. The status records the exit first, and a later pass deletes the pod. In the reverse
 * order, a crash between the two writes would lose the exit.
 */
export const decideExitedPod = ({ resource, pod }: PodDecisionInput): LifeDecision => ({
  phase: 'Exited',
  children: [isRecorded(remembered(resource), pod.metadata?.uid) ? remove(pod, 'Exited') : keep(pod)],
  state: progressing('Exited', 'the pod has ended and is replaced'),
});

/** The input of {@link decideTerminatingPod} besides the pod: the clock, and the look-ups of other objects. */
export interface TerminationContext {
  readonly clock: Clock;
  readonly related: Related;
}

const isOutOfService = ({ spec }: Readonly<KubeNode>): boolean =>
  spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE) ?? false;

/**
 * Whether the pod cannot run any more, because its node does not exist or a taint confirms that the node is off. A node that does
 * not respond may still run the pod.
 *
 * @see https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/#non-graceful-node-shutdown
 */
const isNodeLost = ({ spec }: ObservedPod, related: Related): boolean => {
  if (spec?.nodeName === undefined || spec.nodeName === '') return false;
  const node = related.get(Node, spec.nodeName);
  return node === undefined || isOutOfService(node);
};

/** Whether the status announces the forced deletion of the pod. A pod is deleted by force only after this announcement. */
export const isForcing = ({ status }: Observed): boolean =>
  status?.conditions?.some(
    ({ type, status: value, reason }) => type === 'Stalled' && value === 'True' && reason === FORCING,
  ) ?? false;

/** The end of the grace period, which the API server stores as the deletion timestamp. */
const graceEnd = ({ metadata }: ObservedPod): Instant => metadata?.deletionTimestamp ?? '';

const isOverdue = ({ resource, pod }: PodDecisionInput, { clock, related }: TerminationContext): boolean => {
  const { forceDeleteAfterSeconds } = resource.spec;
  if (forceDeleteAfterSeconds === 0 || !clock.reached(after(graceEnd(pod), forceDeleteAfterSeconds))) return false;
  return isNodeLost(pod, related);
};

/**
 * The decision for a pod on a lost node. The first pass announces the forced deletion in the status, and a later pass deletes the
 * pod.
 */
const forcing = ({ resource, pod }: PodDecisionInput): LifeDecision => ({
  phase: 'Stuck',
  children: [isForcing(resource) ? remove(pod, 'NodeLost', { gracePeriodSeconds: 0 }) : keep(pod)],
  state: stalled(FORCING, 'the node of the pod is gone or out of service: the pod is deleted by force'),
});

const stuck = ({ resource, pod }: PodDecisionInput): LifeDecision => {
  const remedy =
    resource.spec.forceDeleteAfterSeconds > 0
      ? 'it is deleted by force once its node is gone, or tainted out-of-service'
      : 'see its node and its finalizers; spec.forceDeleteAfterSeconds lets it be deleted by force once its node is gone';
  const message = `the pod does not stop, and no other is started before it has: ${remedy}`;
  return { phase: 'Stuck', children: [keep(pod)], state: stalled('PodStuckTerminating', message) };
};

const stopping = ({ resource, pod }: PodDecisionInput): LifeDecision => ({
  phase: resource.spec.suspend ? 'Suspended' : 'Replacing',
  children: [keep(pod)],
  state: resource.spec.suspend
    ? progressing('Suspending', 'the pod is being stopped')
    : progressing('Replacing', 'the pod is stopping; another is started when it is gone'),
});

/** The decision for a terminating pod. The next pod has the same name, and is created only when the terminating pod is gone. */
export const decideTerminatingPod = (input: PodDecisionInput, context: TerminationContext): LifeDecision => {
  if (isOverdue(input, context)) return forcing(input);
  return context.clock.reached(after(graceEnd(input.pod), STUCK_SECONDS)) ? stuck(input) : stopping(input);
};
