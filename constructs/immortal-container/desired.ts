import type { Observation } from '#lib/desired/observation.ts';
import type { Desired } from '#lib/desired/result/desired.ts';
import { type KubeObject, Pod } from '#lib/kind/handles/reference.ts';
import { containerFailureConditions, containerFailureEvents } from '#lib/workload/container-failure.ts';
import { isTerminating, type ObservedPod } from '#lib/workload/pod-state.ts';
import { type Course, type LifeSituation, podCreated } from './course.ts';
import { lifeEventsOf } from './events.ts';
import { podNameOf } from './identity.ts';
import { recallLife, remembered } from './look/memory.ts';
import { hasRunEnded } from './look/pod.ts';
import { absentCourse } from './phases/absent.ts';
import { activeCourse } from './phases/active.ts';
import { exitedCourse, isForcing, terminatingCourse } from './phases/ending.ts';
import { foreignCourse } from './phases/foreign.ts';
import { refusedCourse } from './refused.ts';
import type { ImmortalContainerStatus, Observed } from './types.ts';

type Seen = Observation<Observed>;

const isOurs = ({ metadata }: KubeObject, uid: string): boolean =>
  metadata?.ownerReferences?.some((owner) => owner.controller === true && owner.uid === uid) ?? false;

/** The course when the resource owns no pod. Another owner may use the name of the pod. */
const withoutPod = (seen: Seen, scene: LifeSituation): Course => {
  const { resource, related, orphans } = seen;
  const holder = related.get(Pod, podNameOf(resource.metadata.name));
  if (holder === undefined || isOurs(holder, resource.metadata.uid)) return absentCourse(scene);
  const orphan = orphans.of(Pod).find(({ metadata }) => metadata?.uid === holder.metadata?.uid);
  return foreignCourse(scene, { holder, orphan });
};

const courseOf = (seen: Seen, scene: LifeSituation, pod: ObservedPod | undefined): Course => {
  if (pod === undefined) return withoutPod(seen, scene);
  if (isTerminating(pod)) return terminatingCourse({ ...scene, pod }, seen);
  return hasRunEnded(pod, scene.resource.spec)
    ? exitedCourse({ ...scene, pod })
    : activeCourse({ ...scene, pod }, seen);
};

/**
 * Computes the desired state of an ImmortalContainer. The function updates the memory with the observed pod, and decides the next
 * phase.
 *
 * @param kind - the group and kind of the resource, which `immortalContainerWith` may have changed
 */
export const immortalDesired = (kind: LifeSituation['kind'], seen: Seen): Desired<ImmortalContainerStatus> => {
  const { resource, children, clock, refused } = seen;
  const { spec, metadata } = resource;
  const pod = children.of(Pod).find(({ metadata: own }) => own?.name === podNameOf(metadata.name));
  const memory = recallLife(remembered(resource), { spec, pod, clock, wasForced: isForcing(resource) });
  const course = refusedCourse(courseOf(seen, { kind, resource, memory }, pod), refused);
  const status = { phase: course.phase, ...memory };
  return {
    children: course.children,
    status,
    state: course.state,
    conditions: [podCreated(course), ...containerFailureConditions(course.failure)],
    events: [
      ...lifeEventsOf(resource, { status, state: course.state }),
      ...containerFailureEvents(course.failure, { conditions: resource.status?.conditions }),
    ],
  };
};
