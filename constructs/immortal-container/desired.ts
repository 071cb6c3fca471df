import type { Observation } from '#lib/desired/observation.ts';
import type { Desired } from '#lib/desired/result/desired.ts';
import { type KubeObject, Pod } from '#lib/kind/handles/reference.ts';
import { containerFailureConditions, containerFailureEvents } from '#lib/workload/container-failure.ts';
import { isTerminating, type ObservedPod } from '#lib/workload/pod-state.ts';
import { type LifeDecision, type LifeDecisionInput, podCreated } from './decision.ts';
import { lifeEventsOf } from './events.ts';
import { podNameOf } from './identity.ts';
import { recallLife, remembered } from './look/memory.ts';
import { hasRunEnded } from './look/pod.ts';
import { decideAbsentPod } from './phases/absent.ts';
import { decideActivePod } from './phases/active.ts';
import { decideExitedPod, decideTerminatingPod, isForcing } from './phases/ending.ts';
import { decideForeignPod } from './phases/foreign.ts';
import { withRefusedCreate } from './refused.ts';
import type { ImmortalContainerStatus, Observed } from './types.ts';

type Seen = Observation<Observed>;

const isOurs = ({ metadata }: KubeObject, uid: string): boolean =>
  metadata?.ownerReferences?.some((owner) => owner.controller === true && owner.uid === uid) ?? false;

/** The decision when the resource owns no pod. Another owner may use the name of the pod. */
const decideWithoutPod = (seen: Seen, input: LifeDecisionInput): LifeDecision => {
  const { resource, related, orphans } = seen;
  const holder = related.get(Pod, podNameOf(resource.metadata.name));
  if (holder === undefined || isOurs(holder, resource.metadata.uid)) return decideAbsentPod(input);
  const orphan = orphans.of(Pod).find(({ metadata }) => metadata?.uid === holder.metadata?.uid);
  return decideForeignPod(input, { holder, orphan });
};

const decideLife = (seen: Seen, input: LifeDecisionInput, pod: ObservedPod | undefined): LifeDecision => {
  if (pod === undefined) return decideWithoutPod(seen, input);
  if (isTerminating(pod)) return decideTerminatingPod({ ...input, pod }, seen);
  return hasRunEnded(pod, input.resource.spec)
    ? decideExitedPod({ ...input, pod })
    : decideActivePod({ ...input, pod }, seen);
};

/**
 * Computes the desired state of an ImmortalContainer. The function updates the memory with the observed pod, and decides the next
 * phase.
 *
 * @param kind - the group and kind of the resource, which `immortalContainerWith` may have changed
 */
export const immortalDesired = (kind: LifeDecisionInput['kind'], seen: Seen): Desired<ImmortalContainerStatus> => {
  const { resource, children, clock, refused } = seen;
  const { spec, metadata } = resource;
  const pod = children.of(Pod).find(({ metadata: own }) => own?.name === podNameOf(metadata.name));
  const memory = recallLife(remembered(resource), { spec, pod, clock, wasForced: isForcing(resource) });
  const decision = withRefusedCreate(decideLife(seen, { kind, resource, memory }, pod), refused);
  const status = { phase: decision.phase, ...memory };
  return {
    children: decision.children,
    status,
    state: decision.state,
    conditions: [podCreated(decision), ...containerFailureConditions(decision.failure)],
    events: [
      ...lifeEventsOf(resource, { status, state: decision.state }),
      ...containerFailureEvents(decision.failure, { conditions: resource.status?.conditions }),
    ],
  };
};
