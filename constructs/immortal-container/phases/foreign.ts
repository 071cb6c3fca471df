import { adopt } from '#lib/desired/result/intent.ts';
import { progressing, stalled } from '#lib/desired/result/state.ts';
import type { ObservedPod } from '#lib/workload/pod-state.ts';
import type { LifeDecision, LifeDecisionInput } from '../decision.ts';
import { ADOPT, podNameOf } from '../identity.ts';
import { decideAbsentPod } from './absent.ts';

/** A pod that has the name of the pod of the resource, but that the resource does not control. */
export interface PodNameHolder {
  readonly holder: ObservedPod;
  /** The holder, if it has no controller and can be adopted; otherwise `undefined`. */
  readonly orphan: ObservedPod | undefined;
}

/** Whether the pod belongs to a deleted resource of the same name. The garbage collector deletes such a pod. */
const isPredecessors = ({ metadata }: ObservedPod, { resource, kind: own }: LifeDecisionInput): boolean =>
  metadata?.ownerReferences?.some(
    ({ apiVersion, kind, name, controller }) =>
      controller === true &&
      kind === own.kind &&
      apiVersion.startsWith(`${own.group}/`) &&
      name === resource.metadata.name,
  ) ?? false;

const predecessors: LifeDecision = {
  phase: 'Replacing',
  children: [],
  state: progressing('Replacing', 'the pod of a deleted resource of the same name is being removed'),
  podMissing: { reason: 'NameConflict', message: 'the pod of a deleted resource of the same name is being removed' },
};

const adopting = (orphan: ObservedPod): LifeDecision => ({
  phase: 'Starting',
  children: [adopt(orphan)],
  state: progressing('Adopting', 'the pod that was given away is adopted'),
  podMissing: { reason: 'Adopting', message: 'the pod that was given away is adopted' },
});

const blocked = ({ resource }: LifeDecisionInput): LifeDecision => {
  const message =
    `pod "${podNameOf(resource.metadata.name)}" has another owner and stays as it is: ` +
    `delete it, or allow its adoption by the annotation ${ADOPT}: "true"`;
  return {
    phase: 'Blocked',
    children: [],
    state: stalled('NameConflict', message),
    podMissing: { reason: 'NameConflict', message },
  };
};

/**
 * The decision while a pod that the resource does not control has the name of its pod. The operator does not change that pod.
 * Exception: unless the resource is suspended, a pod without a controller is adopted if its annotation allows the adoption.
 */
export const decideForeignPod = (input: LifeDecisionInput, { holder, orphan }: PodNameHolder): LifeDecision => {
  if (input.resource.spec.suspend) return decideAbsentPod(input);
  if (isPredecessors(holder, input)) return predecessors;
  if (orphan?.metadata?.annotations?.[ADOPT] === 'true') return adopting(orphan);
  return blocked(input);
};
