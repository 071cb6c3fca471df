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
  status: s.object({ phase: s.string({ maxLength: 16, description: 'Phase of the pod.' }) }),
  columns: [{ name: 'Phase', type: 'string', jsonPath: '.status.phase' }],
  owns: [Pod],
  desired({ resource, children }) {
    const { image, args } = resource.spec;
    const phase = children.of(Pod)[0]?.status?.phase ?? 'None';
    return {
      children: [
        apply({
          apiVersion: 'v1',
          kind: 'Pod',
          // Another image, another name: the old pod is pruned, a new one is created.
          metadata: { name: `${resource.metadata.name}-${shortHash(resource.spec, 5)}` },
          spec: { containers: [{ name: 'main', image, args }] },
        }),
      ],
      status: { phase },
      state: phase === 'Running' ? ready('Running', 'the pod runs') : progressing('Starting', `the pod is ${phase}`),
    };
  },
});
