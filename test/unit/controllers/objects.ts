import type { ReplicaSet, StoredDeployment, StoredPod } from '#lib/controllers/workload.ts';

type Meta = Partial<StoredPod['metadata']>;

const metaOf = (name: string, more: Meta = {}): StoredPod['metadata'] => ({
  name,
  namespace: 'default',
  uid: `uid-of-${name}`,
  resourceVersion: '1',
  generation: 1,
  creationTimestamp: '2026-01-01T00:00:00Z',
  ...more,
});

/** A pod with one container, as it is stored. */
export const pod = (
  name: string,
  more: { metadata?: Meta; spec?: Partial<StoredPod['spec']>; status?: StoredPod['status'] } = {},
): StoredPod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: metaOf(name, more.metadata),
  spec: { containers: [{ name: 'app', image: 'app:1' }], restartPolicy: 'Always', nodeName: 'node-1', ...more.spec },
  ...(more.status && { status: more.status }),
});

const template = (image: string): StoredDeployment['spec']['template'] => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'app', image }] },
});

/** A stored ReplicaSet. */
export const replicaSet = (
  name: string,
  replicas: number,
  more: { metadata?: Meta; status?: ReplicaSet['status']; image?: string } = {},
): ReplicaSet => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: metaOf(name, more.metadata),
  spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: template(more.image ?? 'app:1') },
  ...(more.status && { status: more.status }),
});

/** A stored Deployment. */
export const deployment = (
  replicas: number,
  more: { metadata?: Meta; spec?: Partial<StoredDeployment['spec']>; status?: StoredDeployment['status'] } = {},
): StoredDeployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: metaOf('web', more.metadata),
  spec: {
    replicas,
    selector: { matchLabels: { app: 'web' } },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } },
    template: template('app:1'),
    progressDeadlineSeconds: 600,
    ...more.spec,
  },
  ...(more.status && { status: more.status }),
});

/** The strategy of a rolling update. */
export const rolling = (
  maxSurge: number | string,
  maxUnavailable: number | string,
): NonNullable<StoredDeployment['spec']['strategy']> => ({
  type: 'RollingUpdate',
  rollingUpdate: { maxSurge, maxUnavailable },
});
