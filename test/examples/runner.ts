import { apply, defineKind, Pod, progressing, ready, s, shortHash } from 'cdk8s-reconcile';

export const runner = defineKind({
  group: 'demo.example.com',
  version: 'v1alpha1',
  kind: 'Runner',
  description: 'Runner keeps one pod running.',
  spec: s.object({
    image: s.string({ minLength: 1, maxLength: 512, description: 'What to run.' }),
    args: s.list(s.string({ maxLength: 256 }), {
      maxItems: 16,
      default: [],
      description: 'Arguments of the container.',
    }),
  }),
  status: s.object({ podName: s.string({ maxLength: 253, description: 'Name of the pod.' }) }),
  columns: [{ name: 'Pod', type: 'string', jsonPath: '.status.podName' }],
  owns: [Pod],
  desired({ resource, children }) {
    const { image, args } = resource.spec;
    // Another image, another name: the old pod is pruned, a new one is created.
    const podName = `${resource.metadata.name}-${shortHash(resource.spec, 5)}`;
    const phase = children.of(Pod)[0]?.status?.phase ?? 'None';
    return {
      children: [
        apply({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: podName },
          spec: { containers: [{ name: 'main', image, args }] },
        }),
      ],
      status: { podName },
      state: phase === 'Running' ? ready('Running', 'the pod runs') : progressing('Starting', `the pod is ${phase}`),
    };
  },
});
