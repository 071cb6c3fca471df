import { adopt, defineKind, isFinished, keep, Pod, ready, release, remove, s } from 'cdk8s-reconcile';

const HERD = 'demo.example.com/herd';

export const shepherd = defineKind({
  group: 'demo.example.com',
  version: 'v1alpha1',
  kind: 'Shepherd',
  description: 'Shepherd takes in the pods with its label, and removes those that have ended.',
  spec: s.object({}),
  status: s.object({ pods: s.int32({ minimum: 0, description: 'How many pods it has.' }) }),
  owns: [Pod],
  // Pods with this label and without a controller are offered as orphans.
  selector: ({ metadata }) => ({ [HERD]: metadata.name }),
  desired({ resource, children, orphans }) {
    const pods = children.of(Pod);
    const intents = pods.map((pod) => {
      // When a user removes the label, the pod is released: it loses its owner and keeps running.
      if (pod.metadata?.labels?.[HERD] !== resource.metadata.name) return release(pod);
      return isFinished(pod) ? remove(pod, 'Finished', { gracePeriodSeconds: 0 }) : keep(pod);
    });
    return {
      children: [...intents, ...orphans.of(Pod).map(adopt)],
      status: { pods: pods.length },
      state: ready('Watching', `${pods.length} pods`),
    };
  },
});
