import { describe, expect, it } from 'vitest';
import type { StoredPod } from '#lib/controllers/workload.ts';
import type { StoredRevision, StoredStatefulSet } from '#lib/controllers/workloads/sets/stored-sets.ts';
import { createCluster, type VirtualCluster } from './cluster.ts';
import { deletionOf, imageOf, patchOf, podNamed, setOf } from './requests.ts';

const clusterOf = (spec: object = {}): VirtualCluster => {
  const cluster = createCluster();
  cluster.send(setOf('StatefulSet', { replicas: 3, ...spec }));
  return cluster;
};

const setIn = (cluster: VirtualCluster): StoredStatefulSet => cluster.objects('statefulsets')[0] as StoredStatefulSet;
const podsOf = (cluster: VirtualCluster): readonly StoredPod[] => cluster.objects('pods') as readonly StoredPod[];
const imagesOf = (cluster: VirtualCluster): readonly string[] =>
  podsOf(cluster).map(({ metadata, spec }) => `${metadata.name} ${spec.containers[0]?.image}`);
const revisionsOf = (cluster: VirtualCluster): readonly StoredRevision[] =>
  cluster.objects('controllerrevisions') as readonly StoredRevision[];
const change = (cluster: VirtualCluster, body: object): unknown => cluster.send(patchOf(setIn(cluster), body));

/** The creations and deletions of pods by the controller, in their order. */
const movesIn = (labels: readonly string[]): readonly string[] =>
  labels.flatMap(
    (label) => /^statefulset controller: (create|delete) pod default\/(.*)$/.exec(label)?.slice(1).join(' ') ?? [],
  );

const data = {
  metadata: { name: 'data', labels: { a: 'b' } },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

describe('statefulSetController()', () => {
  it('creates pods with an identity, one after the other, and counts them', () => {
    const cluster = clusterOf({ serviceName: 'svc' });
    cluster.calm();
    const [revision] = revisionsOf(cluster);
    expect(podsOf(cluster).map(({ metadata }) => metadata.name)).toEqual(['web-0', 'web-1', 'web-2']);
    expect(podsOf(cluster)[1]).toMatchObject({
      metadata: {
        labels: {
          app: 'web',
          'controller-revision-hash': revision?.metadata.name,
          'statefulset.kubernetes.io/pod-name': 'web-1',
          'apps.kubernetes.io/pod-index': '1',
        },
      },
      spec: { hostname: 'web-1', subdomain: 'svc' },
    });
    expect(setIn(cluster).status).toEqual({
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
      currentRevision: revision?.metadata.name,
      updateRevision: revision?.metadata.name,
      observedGeneration: 1,
      collisionCount: 0,
    });
    expect(cluster.calm()).toEqual([]);
  });

  it('waits until a pod is ready for minReadySeconds', () => {
    const cluster = clusterOf({ minReadySeconds: 10 });
    cluster.calm(9);
    expect(podsOf(cluster)).toHaveLength(1);
    cluster.calm(9);
    expect(podsOf(cluster)).toHaveLength(2);
  });

  it('starts with the first ordinal, and moves pods when it changes', () => {
    const cluster = clusterOf({ replicas: 2, ordinals: { start: 5 } });
    cluster.calm();
    expect(podsOf(cluster).map(({ metadata }) => metadata.name)).toEqual(['web-5', 'web-6']);
    change(cluster, { spec: { ordinals: { start: 6 } } });
    cluster.calm();
    expect(podsOf(cluster).map(({ metadata }) => metadata.name)).toEqual(['web-6', 'web-7']);
  });

  it('deletes the last pods first, each after the one before is gone', () => {
    const cluster = clusterOf();
    cluster.calm();
    change(cluster, { spec: { replicas: 1 } });
    const labels = cluster.calm();
    expect(movesIn(labels)).toEqual(['delete web-2', 'delete web-1']);
    expect(labels.indexOf('kubelet: remove pod default/web-2')).toBeLessThan(
      labels.indexOf('statefulset controller: delete pod default/web-1'),
    );
  });

  it('scales all pods at once with the policy Parallel', () => {
    const template = { metadata: { labels: { app: 'web' }, annotations: { 'kubelet.sim/never-ready': 'true' } } };
    const spec = { containers: [{ name: 'app', image: 'app:1' }] };
    const cluster = clusterOf({ podManagementPolicy: 'Parallel', template: { ...template, spec } });
    expect(movesIn(cluster.calm())).toEqual(['create web-0', 'create web-1', 'create web-2']);
    change(cluster, { spec: { replicas: 0 } });
    expect(movesIn(cluster.calm())).toEqual(['delete web-2', 'delete web-1', 'delete web-0']);
  });

  it('updates the pods from the last to the first, and then completes the revision', () => {
    const cluster = clusterOf();
    cluster.calm();
    change(cluster, imageOf('app:2'));
    expect(movesIn(cluster.calm())).toEqual([2, 1, 0].flatMap((i) => [`delete web-${i}`, `create web-${i}`]));
    expect(imagesOf(cluster)).toEqual(['web-0 app:2', 'web-1 app:2', 'web-2 app:2']);
    const { currentRevision, updateRevision } = setIn(cluster).status!;
    expect(currentRevision).toBe(updateRevision);
    expect(revisionsOf(cluster)).toHaveLength(2);
  });

  it('keeps the pods below the partition, also when they are replaced', () => {
    const cluster = clusterOf({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } });
    cluster.calm();
    change(cluster, imageOf('app:2'));
    cluster.calm();
    cluster.send(deletionOf(podsOf(cluster)[0]!));
    cluster.calm();
    expect(imagesOf(cluster)).toEqual(['web-0 app:1', 'web-1 app:1', 'web-2 app:2']);
    const { currentRevision, updateRevision, currentReplicas, updatedReplicas } = setIn(cluster).status!;
    expect(currentRevision).not.toBe(updateRevision);
    expect([currentReplicas, updatedReplicas]).toEqual([2, 1]);
  });

  it('updates only deleted pods with OnDelete', () => {
    const cluster = clusterOf({ updateStrategy: { type: 'OnDelete' } });
    cluster.calm();
    change(cluster, imageOf('app:2'));
    cluster.calm();
    cluster.send(deletionOf(podsOf(cluster)[1]!));
    cluster.calm();
    expect(imagesOf(cluster)).toEqual(['web-0 app:1', 'web-1 app:2', 'web-2 app:1']);
  });

  it('uses the old revision again after a rollback, and keeps a short history', () => {
    const cluster = clusterOf({ revisionHistoryLimit: 0 });
    cluster.calm();
    const [{ metadata }] = revisionsOf(cluster) as [StoredRevision];
    change(cluster, imageOf('app:2'));
    cluster.run(/create controllerrevision/);
    change(cluster, imageOf('app:1'));
    cluster.calm();
    expect(revisionsOf(cluster).map((each) => [each.metadata.name, each.revision])).toEqual([[metadata.name, 3]]);
  });

  it('tries another name when the name of a revision is taken', () => {
    const cluster = clusterOf();
    cluster.calm();
    const { name } = revisionsOf(cluster)[0]!.metadata;
    cluster.send(deletionOf(setIn(cluster)));
    cluster.calm();
    cluster.send({
      verb: 'create',
      resource: { group: 'apps', version: 'v1', plural: 'controllerrevisions' },
      namespace: 'default',
      body: {
        apiVersion: 'apps/v1',
        kind: 'ControllerRevision',
        metadata: { name },
        data: { other: true },
        revision: 1,
      },
    });
    cluster.send(setOf('StatefulSet', { replicas: 1 }));
    cluster.calm();
    expect(setIn(cluster).status).toMatchObject({ readyReplicas: 1, collisionCount: 1 });
    expect(revisionsOf(cluster)).toHaveLength(2);
  });

  it('replaces a failed pod', () => {
    const cluster = clusterOf();
    cluster.calm();
    cluster.run('kubelet: evict pod default/web-1');
    expect(movesIn(cluster.calm())).toEqual(['delete web-1', 'create web-1']);
    expect(setIn(cluster).status?.readyReplicas).toBe(3);
  });

  it('adopts a pod with a name of the set, and corrects its labels', () => {
    const cluster = createCluster();
    cluster.send(podNamed('web-0', { labels: { app: 'web' } }));
    cluster.send(podNamed('web-x', { labels: { app: 'web' } }));
    cluster.calm();
    cluster.send(setOf('StatefulSet', { replicas: 1, updateStrategy: { type: 'OnDelete' } }));
    cluster.calm();
    expect(podsOf(cluster).map(({ metadata }) => [metadata.name, metadata.ownerReferences?.[0]?.kind])).toEqual([
      ['web-0', 'StatefulSet'],
      ['web-x', undefined],
    ]);
    expect(podsOf(cluster)[0]?.metadata.labels).toMatchObject({ 'statefulset.kubernetes.io/pod-name': 'web-0' });
  });

  it('creates a claim for each pod, keeps the claims, and uses them again', () => {
    const cluster = clusterOf({ replicas: 2, volumeClaimTemplates: [data] });
    cluster.calm();
    const claims = (): readonly string[] =>
      cluster.objects('persistentvolumeclaims').map(({ metadata }) => metadata.uid);
    const before = claims();
    expect(cluster.objects('persistentvolumeclaims')[1]).toMatchObject({
      metadata: { name: 'data-web-1', labels: { a: 'b', app: 'web' }, finalizers: ['kubernetes.io/pvc-protection'] },
      status: { phase: 'Pending' },
    });
    expect(podsOf(cluster)[1]?.spec).toMatchObject({
      volumes: [
        { name: 'data', persistentVolumeClaim: { claimName: 'data-web-1' } },
        { projected: { defaultMode: 420 } },
      ],
    });
    change(cluster, { spec: { replicas: 0 } });
    cluster.calm();
    change(cluster, { spec: { replicas: 2 } });
    cluster.calm();
    expect(setIn(cluster).status?.readyReplicas).toBe(2);
    expect(claims()).toEqual(before);
  });

  it('deletes claims after scaling and after deletion, as the retention policy says', () => {
    const policy = { whenScaled: 'Delete', whenDeleted: 'Delete' };
    const cluster = clusterOf({ volumeClaimTemplates: [data], persistentVolumeClaimRetentionPolicy: policy });
    cluster.calm();
    const claims = (): readonly unknown[] =>
      cluster
        .objects('persistentvolumeclaims')
        .map(({ metadata }) => [metadata.name, ...(metadata.ownerReferences ?? []).map(({ kind }) => kind)]);
    expect(claims()).toEqual([0, 1, 2].map((i) => [`data-web-${i}`, 'StatefulSet']));
    change(cluster, { spec: { replicas: 1 } });
    cluster.calm();
    expect(claims()).toEqual([['data-web-0', 'StatefulSet']]);
    change(cluster, { spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain' } } });
    cluster.calm();
    expect(claims()).toEqual([['data-web-0']]);
    change(cluster, { spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } } });
    cluster.calm();
    cluster.send(deletionOf(setIn(cluster)));
    cluster.calm();
    expect(claims()).toEqual([]);
  });

  it('does not create a pod while its claim is being deleted', () => {
    const cluster = clusterOf({ replicas: 1, volumeClaimTemplates: [data] });
    cluster.calm();
    const [claim] = cluster.objects('persistentvolumeclaims');
    cluster.send(deletionOf(claim!));
    cluster.calm();
    // The pod still uses the claim.
    expect(cluster.objects('persistentvolumeclaims')[0]?.metadata.deletionTimestamp).toBeDefined();
    cluster.send(deletionOf(podsOf(cluster)[0]!));
    cluster.calm();
    expect(cluster.objects('persistentvolumeclaims')[0]?.metadata.uid).not.toBe(claim?.metadata.uid);
    expect(setIn(cluster).status?.readyReplicas).toBe(1);
  });
});
