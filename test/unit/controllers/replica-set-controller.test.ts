import { describe, expect, it } from 'vitest';
import type { ReplicaSet, StoredPod } from '#lib/controllers/workload.ts';
import { createCluster, type VirtualCluster } from './cluster.ts';
import { deletionOf, deploymentOf, patchOf } from './requests.ts';

const withPods = (replicas: number, spec: object = {}): VirtualCluster => {
  const cluster = createCluster();
  cluster.send(deploymentOf(replicas, { ...spec }));
  return cluster;
};

const podsOf = (cluster: VirtualCluster): readonly StoredPod[] => cluster.objects('pods') as readonly StoredPod[];
const setOf = (cluster: VirtualCluster): ReplicaSet => cluster.objects('replicasets')[0] as ReplicaSet;
const conditionsOf = (object: Readonly<Record<string, unknown>>): Record<string, string> => {
  const { conditions = [] } = object['status'] as {
    conditions?: readonly { type: string; status: string; reason: string }[];
  };
  return Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
};

describe('replicaSetController()', () => {
  it('counts pods as available only after minReadySeconds', () => {
    const cluster = withPods(2, { minReadySeconds: 10 });
    cluster.calm(9);
    expect(setOf(cluster).status).toMatchObject({ readyReplicas: 2 });
    expect(setOf(cluster).status?.availableReplicas).toBeUndefined();
    cluster.calm(1);
    expect(setOf(cluster).status?.availableReplicas).toBe(2);
  });

  it('replaces a pod that another client deletes', () => {
    const cluster = withPods(1);
    cluster.calm();
    const [old] = podsOf(cluster);
    cluster.send(deletionOf(old!));
    cluster.calm();
    expect(podsOf(cluster)).toHaveLength(1);
    expect(podsOf(cluster)[0]?.metadata.uid).not.toBe(old?.metadata.uid);
  });

  it('goes on with what it knew when the ReplicaSet is changed in the middle of a sync', () => {
    const cluster = withPods(3);
    const create = /^replicaset controller: create pod/;
    cluster.run(/create replicaset/);
    cluster.run(create);
    cluster.send(patchOf(setOf(cluster), { spec: { replicas: 0 } }));
    expect(cluster.steps().filter(({ label }) => create.test(label))).toHaveLength(1);
    cluster.calm();
    // The Deployment asks for three again.
    expect(podsOf(cluster)).toHaveLength(3);
  });

  it('reports refused pods, does not try for ever, and gets over it', () => {
    const cluster = createCluster();
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec: { hard: { pods: '1' } } };
    const resource = { group: '', version: 'v1', plural: 'resourcequotas' };
    cluster.send({ verb: 'create', resource, namespace: 'default', body: quota });
    cluster.calm(1);
    cluster.send(deploymentOf(2, { progressDeadlineSeconds: 60 }));
    cluster.calm(30);
    expect(podsOf(cluster)).toHaveLength(1);
    expect(conditionsOf(setOf(cluster))).toEqual({ ReplicaFailure: 'True FailedCreate' });
    cluster.calm();
    expect(cluster.calm()).toEqual([]);
    expect(conditionsOf(cluster.objects('deployments')[0]!)).toEqual({
      Available: 'False MinimumReplicasUnavailable',
      Progressing: 'False ProgressDeadlineExceeded',
      ReplicaFailure: 'True FailedCreate',
    });
    cluster.send({
      verb: 'patch',
      patchType: 'merge',
      resource,
      namespace: 'default',
      name: 'q',
      body: { spec: { hard: { pods: '5' } } },
    });
    cluster.calm();
    expect(podsOf(cluster)).toHaveLength(2);
    expect(conditionsOf(setOf(cluster))).toEqual({});
  });
});
