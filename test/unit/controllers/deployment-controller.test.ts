import { describe, expect, it } from 'vitest';
import type { ReplicaSet, StoredDeployment, StoredPod } from '#lib/controllers/workload.ts';
import { createCluster, type VirtualCluster } from './cluster.ts';
import { deploymentOf, patchOf } from './requests.ts';

const deploymentIn = (cluster: VirtualCluster): StoredDeployment =>
  cluster.objects('deployments')[0] as StoredDeployment;
const setsIn = (cluster: VirtualCluster): readonly ReplicaSet[] =>
  cluster.objects('replicasets') as readonly ReplicaSet[];
const withImage = (image: string): object => ({
  spec: { template: { spec: { containers: [{ name: 'app', image }] } } },
});

interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** Runs a cluster step by step. @returns the lowest number of available pods and the highest number of pods */
const boundsOf = (cluster: VirtualCluster): Bounds => {
  let [least, most] = [Infinity, 0];
  for (;;) {
    const step = cluster.steps().find(({ isFault, notBefore = 0 }) => isFault !== true && notBefore <= cluster.now());
    if (!step) return { least, most };
    step.run();
    const pods = (cluster.objects('pods') as readonly StoredPod[]).filter(
      ({ metadata }) => metadata.deletionTimestamp === undefined,
    );
    const ready = pods.filter(({ status }) =>
      status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True'),
    );
    [least, most] = [Math.min(least, ready.length), Math.max(most, pods.length)];
  }
};

describe('deploymentController()', () => {
  it.for([
    { maxSurge: 1, maxUnavailable: 0, expected: { least: 4, most: 5 } },
    { maxSurge: 0, maxUnavailable: 1, expected: { least: 3, most: 4 } },
    { maxSurge: 2, maxUnavailable: 2, expected: { least: 2, most: 6 } },
  ])('keeps within surge $maxSurge and unavailable $maxUnavailable', ({ maxSurge, maxUnavailable, expected }) => {
    const cluster = createCluster();
    cluster.send(deploymentOf(4, { strategy: { rollingUpdate: { maxSurge, maxUnavailable } } }));
    cluster.calm(1);
    cluster.send(patchOf(deploymentIn(cluster), withImage('app:2')));
    expect(boundsOf(cluster)).toEqual(expected);
    expect(
      setsIn(cluster)
        .map(({ spec }) => spec.replicas ?? 0)
        .toSorted((a, b) => a - b),
    ).toEqual([0, 4]);
  });

  it('never runs old and new pods together when it recreates', () => {
    const cluster = createCluster();
    cluster.send(deploymentOf(2, { strategy: { type: 'Recreate' } }));
    cluster.calm(1);
    cluster.send(patchOf(deploymentIn(cluster), withImage('app:2')));
    expect(boundsOf(cluster)).toEqual({ least: 0, most: 2 });
    expect(deploymentIn(cluster).status).toMatchObject({ updatedReplicas: 2, availableReplicas: 2 });
  });

  it('counts revisions on from any number of 64 bits', () => {
    const cluster = createCluster();
    cluster.send(deploymentOf(1));
    cluster.calm(1);
    const revision = 'deployment.kubernetes.io/revision';
    const [first] = setsIn(cluster);
    if (first === undefined) throw new Error('no ReplicaSet');
    cluster.send(patchOf(first, { metadata: { annotations: { [revision]: '3546343826724305832' } } }));
    cluster.send(patchOf(deploymentIn(cluster), withImage('app:2')));
    cluster.calm(1);
    expect(deploymentIn(cluster).metadata.annotations?.[revision]).toBe('3546343826724305833');
  });

  it('names its ReplicaSets otherwise after a collision of hashes', () => {
    const cluster = createCluster();
    cluster.send(deploymentOf(1));
    const [create] = cluster.steps();
    const name = /default\/(web-\S+)/.exec(create?.label ?? '')?.[1] ?? '';
    cluster.send({
      verb: 'create',
      resource: { group: 'apps', version: 'v1', plural: 'replicasets' },
      namespace: 'default',
      body: {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: { name },
        spec: {
          replicas: 0,
          selector: { matchLabels: { app: 'other' } },
          template: { metadata: { labels: { app: 'other' } }, spec: { containers: [{ name: 'app', image: 'other' }] } },
        },
      },
    });
    cluster.calm(60);
    expect(deploymentIn(cluster).status).toMatchObject({ collisionCount: 1, availableReplicas: 1 });
    expect(setsIn(cluster)).toHaveLength(2);
  });

  it('comes to rest and stays there', () => {
    const cluster = createCluster();
    cluster.send(deploymentOf(3));
    cluster.calm();
    const { resourceVersion } = cluster.server;
    expect(cluster.calm()).toEqual([]);
    expect(cluster.server.resourceVersion).toBe(resourceVersion);
  });
});
