import { adopt } from '#lib/desired/result/intent.ts';
import { progressing, stalled } from '#lib/desired/result/state.ts';
import type { ObservedPod } from '#lib/workload/pod-state.ts';
import type { Course, LifeSituation } from '../course.ts';
import { ADOPT, podNameOf } from '../identity.ts';
import { absentCourse } from './absent.ts';

/** A pod that has the name of the pod of the resource, but that the resource does not control. */
export interface Strangers {
  readonly holder: ObservedPod;
  /** The holder, if it has no controller and can be adopted; otherwise `undefined`. */
  readonly orphan: ObservedPod | undefined;
}

/** Whether the pod belongs to a deleted resource of the same name. The garbage collector deletes such a pod. */
const isPredecessors = ({ metadata }: ObservedPod, { resource, kind: own }: LifeSituation): boolean =>
  metadata?.ownerReferences?.some(
    ({ apiVersion, kind, name, controller }) =>
      controller === true &&
      kind === own.kind &&
      apiVersion.startsWith(`${own.group}/`) &&
      name === resource.metadata.name,
  ) ?? false;

const predecessors: Course = {
  phase: 'Replacing',
  children: [],
  state: progressing('Replacing', 'the pod of a deleted resource of the same name is being removed'),
  podMissing: { reason: 'NameConflict', message: 'the pod of a deleted resource of the same name is being removed' },
};

const adopting = (orphan: ObservedPod): Course => ({
  phase: 'Starting',
  children: [adopt(orphan)],
  state: progressing('Adopting', 'the pod that was given away is adopted'),
  podMissing: { reason: 'Adopting', message: 'the pod that was given away is adopted' },
});

const blocked = ({ resource }: LifeSituation): Course => {
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
 * The course while another owner uses the name of the pod. The operator does not change that pod. Exception: a pod without a
 * controller is adopted if its annotation allows the adoption.
 */
export const foreignCourse = (scene: LifeSituation, { holder, orphan }: Strangers): Course => {
  if (scene.resource.spec.suspend) return absentCourse(scene);
  if (isPredecessors(holder, scene)) return predecessors;
  if (orphan?.metadata?.annotations?.[ADOPT] === 'true') return adopting(orphan);
  return blocked(scene);
};
