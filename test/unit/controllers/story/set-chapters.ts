import type { Chapter } from './chapters.ts';
import { type Body, containers, create, patch, remove, template } from './story-requests.ts';

const namespace = 'sets';
const agent = [namespace, 'agent'] as const;
const store = [namespace, 'store'] as const;

const withImage = (image: string, spec: Body = {}): Body => ({
  spec: { ...spec, template: { spec: containers(image) } },
});

const setOf = (name: string, spec: Body): Body => ({
  metadata: { name, labels: { x: 'y' }, annotations: { team: 'a' } },
  spec: { selector: { matchLabels: { app: 'web' } }, template: template('app:1'), ...spec },
});

const daemons: readonly Chapter[] = [
  {
    name: 'a DaemonSet is created',
    namespace,
    requests: () => [
      create('namespaces', undefined, { metadata: { name: namespace } }),
      create('daemonsets', namespace, setOf('agent', {})),
    ],
  },
  {
    name: 'a DaemonSet gets another image',
    namespace,
    seconds: 6,
    requests: () => [patch('daemonsets', agent, withImage('app:2'))],
  },
  {
    name: 'a DaemonSet goes back',
    namespace,
    seconds: 6,
    requests: () => [patch('daemonsets', agent, withImage('app:1'))],
  },
  {
    name: 'a DaemonSet with OnDelete gets another image',
    namespace,
    requests: () => [
      patch('daemonsets', agent, withImage('app:3', { updateStrategy: { type: 'OnDelete', rollingUpdate: null } })),
    ],
  },
  {
    name: 'the pod of a DaemonSet with OnDelete is deleted',
    namespace,
    seconds: 6,
    requests: (find) => find('pods', namespace).map(({ metadata }) => remove('pods', [namespace, metadata.name])),
  },
  {
    name: 'a DaemonSet with surge gets another image',
    namespace,
    seconds: 6,
    requests: () => [
      patch(
        'daemonsets',
        agent,
        withImage('app:4', {
          revisionHistoryLimit: 1,
          updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        }),
      ),
    ],
  },
  { name: 'a DaemonSet leaves its pods', namespace, requests: () => [remove('daemonsets', agent, 'Orphan')] },
  {
    name: 'a DaemonSet adopts pods and revisions',
    namespace,
    requests: () => [create('daemonsets', namespace, setOf('agent', { template: template('app:4') }))],
  },
  {
    name: 'a DaemonSet fits no node',
    namespace,
    seconds: 6,
    requests: () => [patch('daemonsets', agent, { spec: { template: { spec: { nodeSelector: { no: 'where' } } } } })],
  },
  { name: 'a DaemonSet is deleted', namespace, requests: () => [remove('daemonsets', agent, 'Background')] },
];

const claim: Body = {
  metadata: { name: 'data', labels: { a: 'b' } },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

const statefulSets: readonly Chapter[] = [
  {
    name: 'a StatefulSet is created',
    namespace,
    seconds: 10,
    requests: () => [create('statefulsets', namespace, setOf('store', { replicas: 3, serviceName: 'svc' }))],
  },
  {
    name: 'a StatefulSet gets another image',
    namespace,
    seconds: 14,
    requests: () => [patch('statefulsets', store, withImage('app:2'))],
  },
  {
    name: 'a StatefulSet goes back',
    namespace,
    seconds: 14,
    requests: () => [patch('statefulsets', store, withImage('app:1'))],
  },
  {
    name: 'a StatefulSet with a partition gets another image',
    namespace,
    seconds: 8,
    requests: () => [
      patch(
        'statefulsets',
        store,
        withImage('app:3', { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } }),
      ),
    ],
  },
  {
    name: 'a pod below the partition is deleted',
    namespace,
    seconds: 6,
    requests: () => [remove('pods', [namespace, 'store-0'])],
  },
  {
    name: 'a StatefulSet grows',
    namespace,
    seconds: 8,
    requests: () => [patch('statefulsets', store, { spec: { replicas: 5 } })],
  },
  {
    name: 'a StatefulSet shrinks',
    namespace,
    seconds: 10,
    requests: () => [patch('statefulsets', store, { spec: { replicas: 1 } })],
  },
  {
    name: 'the ordinals of a StatefulSet start later',
    namespace,
    seconds: 8,
    requests: () => [patch('statefulsets', store, { spec: { ordinals: { start: 3 }, replicas: 2 } })],
  },
  {
    name: 'a StatefulSet with OnDelete gets another image and no history',
    namespace,
    seconds: 8,
    requests: () => [
      patch(
        'statefulsets',
        store,
        withImage('app:4', { revisionHistoryLimit: 0, updateStrategy: { type: 'OnDelete', rollingUpdate: null } }),
      ),
      remove('pods', [namespace, 'store-4']),
    ],
  },
  { name: 'a StatefulSet leaves its pods', namespace, requests: () => [remove('statefulsets', store, 'Orphan')] },
  {
    name: 'a StatefulSet adopts pods and revisions',
    namespace,
    seconds: 8,
    requests: () => [
      create(
        'statefulsets',
        namespace,
        setOf('store', {
          replicas: 2,
          ordinals: { start: 3 },
          template: template('app:4'),
          updateStrategy: { type: 'OnDelete' },
        }),
      ),
    ],
  },
  { name: 'a StatefulSet is deleted', namespace, requests: () => [remove('statefulsets', store, 'Background')] },
  {
    name: 'a StatefulSet with claims fits no node',
    namespace,
    requests: () => [
      create(
        'statefulsets',
        namespace,
        setOf('store', {
          replicas: 2,
          podManagementPolicy: 'Parallel',
          template: {
            metadata: { labels: { app: 'web' } },
            spec: { ...containers('app:1'), nodeSelector: { no: 'where' } },
          },
          volumeClaimTemplates: [claim],
        }),
      ),
    ],
  },
  {
    name: 'a claim of a waiting pod is deleted',
    namespace,
    seconds: 6,
    requests: () => [remove('persistentvolumeclaims', [namespace, 'data-store-1'])],
  },
  {
    name: 'a StatefulSet with claims is deleted',
    namespace,
    requests: () => [remove('statefulsets', store, 'Background')],
  },
];

/** A story of sets: a DaemonSet, and then a StatefulSet. */
export const setChapters: readonly Chapter[] = [...daemons, ...statefulSets];
