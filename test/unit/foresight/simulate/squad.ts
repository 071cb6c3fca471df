import { apply, defineKind, progressing, ready, StatefulSet, s } from '#lib/index.ts';

/** A kind without a scale subresource that owns a StatefulSet, which starts one pod after the other. */
export const squad = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Squad',
  description: 'Pods in order.',
  spec: s.object({ pods: s.int32({ minimum: 1, maximum: 9, description: 'Number of pods.' }) }),
  status: s.object({}),
  owns: [StatefulSet],
  desired: ({ resource: { metadata, spec }, children }) => {
    const labels = { app: metadata.name };
    const { status } = children.of(StatefulSet)[0] ?? {};
    const set = {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: metadata.name },
      spec: {
        replicas: spec.pods,
        serviceName: metadata.name,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'busybox' }] } },
      },
    };
    const isReady = status?.readyReplicas === spec.pods;
    const state = isReady ? ready('Complete', 'all pods are ready') : progressing('Starting', 'pods are missing');
    return { children: [apply(set)], status: {}, state };
  },
});

/** A result with the state progressing. */
export const asProgressing = <T extends object>(desired: T) => ({
  ...desired,
  state: progressing('Starting', 'not yet'),
});

/** A Squad `web`. */
export const squadManifest = (pods: number) => ({
  apiVersion: 'demo.example.com/v1',
  kind: 'Squad',
  metadata: { name: 'web' },
  spec: { pods },
});
