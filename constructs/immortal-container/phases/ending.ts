import { keep, remove } from '#lib/desired/intent.ts';
import { progressing } from '#lib/desired/state.ts';
import type { Course, PodScene } from '../course.ts';
import { isRecorded, remembered } from '../memory.ts';

/**
 * The pod has ended. Its end is written down first and the pod deleted then: the other way round, a crash in between would
 * lose it.
 */
export const exitedCourse = ({ resource, pod }: PodScene): Course => ({
  phase: 'Exited',
  children: [isRecorded(remembered(resource), pod.metadata?.uid) ? remove(pod, 'Exited') : keep(pod)],
  state: progressing('Exited', 'the pod has ended and is replaced'),
});

/** The pod is stopping; the next one has its name, and so waits until it is gone. */
export const terminatingCourse = ({ resource, pod }: PodScene): Course => ({
  phase: resource.spec.suspend ? 'Suspended' : 'Replacing',
  children: [keep(pod)],
  state: resource.spec.suspend
    ? progressing('Suspending', 'the pod is being stopped')
    : progressing('Replacing', 'the pod is stopping; another is started when it is gone'),
});
