import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ServerRequest } from '#lib/apiserver/machinery/request.ts';

import { jobChapters } from './job-chapters.ts';
import { type Body, containers, create, deployment, patch, remove, template } from './story-requests.ts';

/** The stored objects at the beginning of a chapter. */
export type Find = (plural: string, namespace?: string) => readonly ServerObject[];

/** Some requests, and the time until their consequences are over. */
export interface Chapter {
  readonly name: string;
  /** The namespace to compare afterwards. */
  readonly namespace: string;
  /** @default 4 */
  readonly seconds?: number;
  readonly requests: (find: Find) => readonly ServerRequest[];
}

const web = ['story', 'web'] as const;
const newImage = (image: string): Body => ({ spec: { template: { spec: containers(image) } } });

const rollout: readonly Chapter[] = [
  {
    name: 'a deployment is created',
    namespace: 'story',
    requests: () => [
      create('namespaces', undefined, { metadata: { name: 'story' } }),
      create('deployments', 'story', deployment({})),
    ],
  },
  { name: 'it gets another image', namespace: 'story', requests: () => [patch('deployments', web, newImage('app:2'))] },
  { name: 'it goes back', namespace: 'story', requests: () => [patch('deployments', web, newImage('app:1'))] },
  { name: 'it is scaled', namespace: 'story', requests: () => [patch('deployments', web, { spec: { replicas: 5 } })] },
  { name: 'it is paused', namespace: 'story', requests: () => [patch('deployments', web, { spec: { paused: true } })] },
  {
    name: 'it is scaled and changed while paused',
    namespace: 'story',
    requests: () => [patch('deployments', web, { spec: { ...(newImage('app:3')['spec'] as Body), replicas: 2 } })],
  },
  {
    name: 'it is resumed with a short history',
    namespace: 'story',
    requests: () => [patch('deployments', web, { spec: { paused: false, revisionHistoryLimit: 1 } })],
  },
  {
    name: 'its pods are recreated',
    namespace: 'story',
    requests: () => [
      patch('deployments', web, {
        spec: { ...(newImage('app:4')['spec'] as Body), strategy: { type: 'Recreate', rollingUpdate: null } },
      }),
    ],
  },
  {
    name: 'a rollout gets stuck',
    namespace: 'story',
    seconds: 8,
    requests: () => [
      patch('deployments', web, {
        spec: {
          progressDeadlineSeconds: 3,
          strategy: { type: 'RollingUpdate' },
          template: { spec: { ...containers('app:5'), nodeSelector: { no: 'where' } } },
        },
      }),
    ],
  },
  {
    name: 'the stuck rollout is scaled',
    namespace: 'story',
    seconds: 8,
    requests: () => [patch('deployments', web, { spec: { replicas: 4 } })],
  },
  {
    name: 'it gets over it',
    namespace: 'story',
    requests: () => [
      patch('deployments', web, { spec: { template: { spec: { ...containers('app:4'), nodeSelector: null } } } }),
    ],
  },
];

const deletions: readonly Chapter[] = [
  {
    name: 'the deployment is deleted and its ReplicaSets are not',
    namespace: 'story',
    requests: () => [remove('deployments', web, 'Orphan')],
  },
  {
    name: 'another deployment adopts them',
    namespace: 'story',
    requests: () => [create('deployments', 'story', deployment({ replicas: 2, template: template('app:4') }))],
  },
  {
    name: 'a foreground deletion waits for a pod',
    namespace: 'story',
    requests: (find) => [
      patch('pods', ['story', find('pods', 'story')[0]!.metadata.name], {
        metadata: { finalizers: ['example.com/hold'] },
      }),
      remove('deployments', web, 'Foreground'),
    ],
  },
  {
    name: 'the pod lets go',
    namespace: 'story',
    requests: (find) =>
      find('pods', 'story').map(({ metadata }) =>
        patch('pods', ['story', metadata.name], { metadata: { finalizers: null } }),
      ),
  },
  {
    name: 'a deployment is deleted in the background',
    namespace: 'story',
    requests: () => [create('deployments', 'story', deployment({ replicas: 1 })), remove('deployments', web)],
  },
];

const claims: readonly Chapter[] = [
  {
    name: 'a ReplicaSet adopts a pod',
    namespace: 'story',
    seconds: 6,
    requests: () => [
      create('pods', 'story', { metadata: { name: 'lone', labels: { app: 'web' } }, spec: containers('app:1') }),
      create('replicasets', 'story', {
        metadata: { name: 'rs' },
        spec: {
          replicas: 2,
          minReadySeconds: 2,
          selector: { matchLabels: { app: 'web' } },
          template: template('app:1'),
        },
      }),
    ],
  },
  {
    name: 'it releases the pod',
    namespace: 'story',
    seconds: 6,
    requests: () => [patch('pods', ['story', 'lone'], { metadata: { labels: { app: 'other' } } })],
  },
  {
    name: 'it is scaled to nothing',
    namespace: 'story',
    requests: () => [patch('replicasets', ['story', 'rs'], { spec: { replicas: 0 } })],
  },
];

const missing = (last: number): string => `00000000-0000-0000-0000-00000000000${last}`;

const reference = (uid: string, more: Body = {}): Body => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'owner',
  uid,
  ...more,
});

const ownedBy = (name: string, ...ownerReferences: readonly Body[]): Body => ({ metadata: { name, ownerReferences } });

const collection: readonly Chapter[] = [
  {
    name: 'an owner comes',
    namespace: 'story',
    seconds: 1,
    requests: () => [create('configmaps', 'story', { metadata: { name: 'owner' } })],
  },
  {
    name: 'references are right and wrong',
    namespace: 'story',
    requests: (find) => {
      const uid = find('configmaps', 'story').find(({ metadata }) => metadata.name === 'owner')!.metadata.uid;
      const bodies = [
        ownedBy('good', reference(uid)),
        ownedBy('solid-and-lost', reference(uid), reference(missing(1), { name: 'gone' })),
        ownedBy('other-uid', reference(missing(2))),
        ownedBy('unknown-kind', reference(missing(3), { kind: 'Nope', apiVersion: 'example.com/v1' })),
        ownedBy('other-name', reference(uid, { name: 'other' })),
        ownedBy('chain', reference(missing(4))),
      ];
      return bodies.map((body) => create('configmaps', 'story', body));
    },
  },
  {
    name: 'the owner goes',
    namespace: 'story',
    requests: () => [remove('configmaps', ['story', 'owner'])],
  },
];

const amounts = { resources: { requests: { cpu: '300m', memory: '100M' }, limits: { memory: '128Mi', cpu: '0.5' } } };

const quota: readonly Chapter[] = [
  {
    name: 'a quota comes',
    namespace: 'limited',
    requests: () => [
      create('namespaces', undefined, { metadata: { name: 'limited' } }),
      create('resourcequotas', 'limited', {
        metadata: { name: 'q' },
        spec: {
          hard: {
            pods: '2',
            'requests.cpu': '1',
            'limits.memory': '1Gi',
            services: '3',
            'count/deployments.apps': '2',
          },
        },
      }),
    ],
  },
  {
    name: 'a deployment exceeds it',
    namespace: 'limited',
    requests: () => [create('deployments', 'limited', deployment({ template: template('app:1', amounts) }))],
  },
  {
    name: 'the quota is raised, and the deployment touched',
    namespace: 'limited',
    requests: () => [
      patch('resourcequotas', ['limited', 'q'], { spec: { hard: { pods: '5' } } }),
      patch('deployments', ['limited', 'web'], { metadata: { annotations: { team: 'b' } } }),
    ],
  },
];

const namespaces: readonly Chapter[] = [
  {
    name: 'a namespace fills',
    namespace: 'ending',
    requests: () => [
      create('namespaces', undefined, { metadata: { name: 'ending' } }),
      create('configmaps', 'ending', { metadata: { name: 'held', finalizers: ['example.com/hold'] } }),
      create('deployments', 'ending', deployment({})),
    ],
  },
  {
    name: 'it is deleted, and held up',
    namespace: 'ending',
    seconds: 20,
    requests: () => [remove('namespaces', [undefined, 'ending'])],
  },
  {
    name: 'it is let go',
    namespace: 'ending',
    seconds: 14,
    requests: () => [patch('configmaps', ['ending', 'held'], { metadata: { finalizers: null } })],
  },
];

/** The requests that both clusters get, the real one and the virtual one. */
export const chapters: readonly Chapter[] = [
  ...rollout,
  ...deletions,
  ...claims,
  ...collection,
  ...quota,
  ...namespaces,
  ...jobChapters,
];
