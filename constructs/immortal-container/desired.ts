import type { Desired } from '#lib/desired/desired.ts';
import type { Observation } from '#lib/desired/observation.ts';
import { Pod } from '#lib/kind/reference.ts';
import { type Course, podCreated, type Scene } from './course.ts';
import { podNameOf } from './identity.ts';
import { recall, remembered } from './memory.ts';
import { absentCourse } from './phases/absent.ts';
import { activeCourse } from './phases/active.ts';
import { exitedCourse, terminatingCourse } from './phases/ending.ts';
import { isFinished, isTerminating } from './pod.ts';
import type { Observed, ObservedPod, Status } from './types.ts';

const courseOf = (scene: Scene, pod: ObservedPod | undefined): Course => {
  if (pod === undefined) return absentCourse(scene);
  if (isTerminating(pod)) return terminatingCourse({ ...scene, pod });
  return isFinished(pod) ? exitedCourse({ ...scene, pod }) : activeCourse({ ...scene, pod });
};

/** What an ImmortalContainer should become: one look at its pod, what is remembered, and the phase that follows. */
export const immortalDesired = ({ resource, children, clock }: Observation<Observed>): Desired<Status> => {
  const { spec, metadata } = resource;
  const pod = children.of(Pod).find(({ metadata: own }) => own?.name === podNameOf(metadata.name));
  const memory = recall(remembered(resource), { spec, pod, clock, wasForced: false });
  const course = courseOf({ resource, memory }, pod);
  const { phase, state } = course;
  return { children: course.children, status: { phase, ...memory }, state, conditions: [podCreated(course)] };
};
