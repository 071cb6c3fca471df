import { describe, expect, it, vi } from 'vitest';
import type { ActorStep } from '#lib/controllers/actor.ts';
import type { StoredPod } from '#lib/controllers/workload.ts';
import type { StoredDaemonSet, StoredRevision } from '#lib/controllers/workloads/sets/stored-sets.ts';
import { canonicalJson } from '#lib/json.ts';
import { createCluster, type VirtualCluster } from './cluster.ts';
import { deletionOf, imageOf, nodeNamed, patchOf, podNamed, setOf } from './requests.ts';

const names = ['a', 'b', 'c'];

const clusterOf = (spec: object = {}): VirtualCluster => {
  const cluster = createCluster({ nodes: names.map((name) => ({ name })) });
  cluster.send(setOf('DaemonSet', { ...spec }));
  return cluster;
};

const setIn = (cluster: VirtualCluster): StoredDaemonSet => cluster.objects('daemonsets')[0] as StoredDaemonSet;
const podsOf = (cluster: VirtualCluster): readonly StoredPod[] => cluster.objects('pods') as readonly StoredPod[];
const placesOf = (cluster: VirtualCluster): readonly unknown[] =>
  podsOf(cluster)
    .map(({ spec }) => `${spec.nodeName ?? '-'} ${spec.containers[0]?.image}`)
    .toSorted();
const revisionsOf = (cluster: VirtualCluster): readonly StoredRevision[] =>
  cluster.objects('controllerrevisions') as readonly StoredRevision[];
const change = (cluster: VirtualCluster, body: object): unknown => cluster.send(patchOf(setIn(cluster), body));
const rolling = (rollingUpdate: object): object => ({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } });

const faultOf = (cluster: VirtualCluster, label: RegExp): ActorStep | undefined =>
  cluster.steps().find((step) => label.test(step.label));

describe('daemonSetController()', () => {
  it('runs one pod on every node, and counts them', () => {
    const cluster = clusterOf();
    cluster.calm();
    expect(placesOf(cluster)).toEqual(['a app:1', 'b app:1', 'c app:1']);
    expect(setIn(cluster).status).toEqual({
      currentNumberScheduled: 3,
      numberMisscheduled: 0,
      desiredNumberScheduled: 3,
      numberReady: 3,
      updatedNumberScheduled: 3,
      numberAvailable: 3,
      observedGeneration: 1,
    });
    const [pod] = podsOf(cluster);
    const [revision] = revisionsOf(cluster);
    expect(pod?.metadata.labels).toEqual({
      app: 'web',
      'controller-revision-hash': revision?.metadata.labels?.['controller-revision-hash'],
      'pod-template-generation': '1',
    });
    expect(revision).toMatchObject({ revision: 1, data: { spec: { template: { $patch: 'replace' } } } });
    expect(JSON.stringify(revision?.data)).toBe(canonicalJson(revision?.data));
  });

  it('follows labels and taints of stored nodes', () => {
    const cluster = createCluster({ nodes: names.map((name) => ({ name, labels: { disk: 'ssd' } })) });
    cluster.send(nodeNamed('a', { labels: { disk: 'ssd' } }));
    cluster.send(nodeNamed('b', { labels: { disk: 'slow' } }));
    cluster.send(nodeNamed('c', { labels: { disk: 'ssd' } }, { taints: [{ key: 'k', effect: 'NoSchedule' }] }));
    const template = { metadata: { labels: { app: 'web' } }, spec: { nodeSelector: { disk: 'ssd' } } };
    const containers = [{ name: 'app', image: 'app:1' }];
    cluster.send(setOf('DaemonSet', { template: { ...template, spec: { ...template.spec, containers } } }));
    cluster.calm();
    expect(placesOf(cluster)).toEqual(['a app:1']);
    const [a, b] = cluster.objects('nodes');
    cluster.send(patchOf(b!, { metadata: { labels: { disk: 'ssd' } } }));
    cluster.send(patchOf(a!, { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } }));
    cluster.calm();
    // The pod on a stays, because the taint only keeps new pods away.
    expect(placesOf(cluster)).toEqual(['a app:1', 'b app:1']);
    expect(setIn(cluster).status).toMatchObject({ desiredNumberScheduled: 1, numberMisscheduled: 1 });
    cluster.send(patchOf(a!, { spec: { taints: [{ key: 'k', effect: 'NoExecute' }] } }));
    cluster.calm();
    expect(placesOf(cluster)).toEqual(['b app:1']);
  });

  it('runs on a cordoned node, on which other pods do not run', () => {
    const cluster = createCluster({ nodes: [{ name: 'a', isCordoned: true }] });
    cluster.send(setOf('DaemonSet'));
    cluster.send(podNamed('other'));
    cluster.calm();
    expect(placesOf(cluster)).toEqual(['- app:1', 'a app:1']);
  });

  it('deletes failed pods with growing delays', () => {
    const cluster = clusterOf({ ...rolling({ maxUnavailable: 1 }) });
    cluster.calm();
    const podOnA = (): StoredPod => podsOf(cluster).find(({ spec }) => spec.nodeName === 'a')!;
    // Whether the failed pod is replaced within some seconds.
    const isReplacedAfter = (seconds: number): boolean => {
      const { name } = podOnA().metadata;
      cluster.calm(seconds);
      return podOnA().metadata.name !== name;
    };
    const fail = (): void => cluster.run(`kubelet: evict pod default/${podOnA().metadata.name}`);
    fail();
    expect(isReplacedAfter(0)).toBe(true);
    fail();
    expect(isReplacedAfter(0)).toBe(false);
    expect(isReplacedAfter(1)).toBe(true);
    fail();
    expect(isReplacedAfter(1)).toBe(false);
    expect(isReplacedAfter(1)).toBe(true);
    expect(setIn(cluster).status?.numberReady).toBe(3);
  });

  it('replaces at most maxUnavailable pods at a time', () => {
    const cluster = clusterOf(rolling({ maxUnavailable: '34%' }));
    cluster.calm();
    change(cluster, imageOf('app:2'));
    let lowest = 3;
    for (let step = 0; step < 500; step += 1) {
      const next = cluster
        .steps()
        .find(({ isFault, notBefore }) => isFault !== true && (notBefore ?? 0) <= cluster.now());
      if (!next) break;
      next.run();
      const ready = podsOf(cluster).filter(
        ({ metadata, status }) =>
          metadata.deletionTimestamp === undefined &&
          status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
      );
      lowest = Math.min(lowest, ready.length);
    }
    expect(lowest).toBe(1);
    expect(placesOf(cluster)).toEqual(['a app:2', 'b app:2', 'c app:2']);
    expect(
      revisionsOf(cluster)
        .map(({ revision }) => revision)
        .toSorted((a, b) => a - b),
    ).toEqual([1, 2]);
    expect(setIn(cluster).status?.updatedNumberScheduled).toBe(3);
  });

  it('waits with the next pod until the new pod is ready for minReadySeconds', () => {
    const cluster = clusterOf({ minReadySeconds: 10 });
    cluster.calm();
    change(cluster, imageOf('app:2'));
    cluster.calm(9);
    expect(placesOf(cluster)).toEqual(['a app:2', 'b app:1', 'c app:1']);
    cluster.calm(9);
    expect(placesOf(cluster)).toEqual(['a app:2', 'b app:2', 'c app:1']);
  });

  it('creates the new pod first with maxSurge', () => {
    const cluster = clusterOf({ minReadySeconds: 10, ...rolling({ maxUnavailable: 0, maxSurge: 1 }) });
    cluster.calm();
    change(cluster, imageOf('app:2'));
    cluster.calm(5);
    expect(placesOf(cluster)).toEqual(['a app:1', 'a app:2', 'b app:1', 'c app:1']);
    cluster.calm();
    expect(placesOf(cluster)).toEqual(['a app:2', 'b app:2', 'c app:2']);
  });

  it('replaces only deleted pods with OnDelete', () => {
    const cluster = clusterOf({ updateStrategy: { type: 'OnDelete' } });
    cluster.calm();
    change(cluster, imageOf('app:2'));
    cluster.calm();
    expect(placesOf(cluster)).toEqual(['a app:1', 'b app:1', 'c app:1']);
    cluster.send(deletionOf(podsOf(cluster).find(({ spec }) => spec.nodeName === 'b')!));
    cluster.calm();
    expect(placesOf(cluster)).toEqual(['a app:1', 'b app:2', 'c app:1']);
    expect(setIn(cluster).status?.updatedNumberScheduled).toBe(1);
  });

  it('uses the old revision again after a rollback, and keeps a short history', () => {
    const cluster = clusterOf({ revisionHistoryLimit: 1 });
    cluster.calm();
    const [first] = revisionsOf(cluster);
    change(cluster, imageOf('app:2'));
    cluster.calm();
    change(cluster, imageOf('app:1'));
    cluster.calm();
    expect(revisionsOf(cluster).find(({ metadata }) => metadata.uid === first?.metadata.uid)?.revision).toBe(3);
    change(cluster, imageOf('app:3'));
    cluster.calm();
    expect(
      revisionsOf(cluster)
        .map(({ revision }) => revision)
        .toSorted((a, b) => a - b),
    ).toEqual([3, 4]);
  });

  it('resolves a collision of revision names', () => {
    const cluster = clusterOf();
    cluster.calm();
    const [{ metadata, ...revision }] = revisionsOf(cluster) as [StoredRevision];
    cluster.send(deletionOf(revisionsOf(cluster)[0]!));
    cluster.send({
      verb: 'create',
      resource: { group: 'apps', version: 'v1', plural: 'controllerrevisions' },
      namespace: 'default',
      body: { ...revision, metadata: { name: metadata.name }, data: { other: true } },
    });
    cluster.calm();
    expect(setIn(cluster).status?.collisionCount).toBe(1);
    expect(revisionsOf(cluster)).toHaveLength(2);
    expect(setIn(cluster).status?.updatedNumberScheduled).toBe(3);
  });

  it('keeps a second revision of the current template until another change, as the real controller does', () => {
    const cluster = clusterOf();
    cluster.calm();
    const [{ metadata, ...revision }] = revisionsOf(cluster) as [StoredRevision];
    const { name, namespace, labels, ownerReferences } = metadata;
    cluster.send({
      verb: 'create',
      resource: { group: 'apps', version: 'v1', plural: 'controllerrevisions' },
      namespace: 'default',
      body: { ...revision, metadata: { name: `${name}-2`, namespace, labels, ownerReferences }, revision: 2 },
    });
    cluster.calm();
    expect(revisionsOf(cluster)).toHaveLength(2);
    change(cluster, { metadata: { labels: { a: 'b' } } });
    cluster.calm();
    expect(revisionsOf(cluster).map((it) => it.metadata.name)).toEqual([`${name}-2`]);
  });

  it('writes its status later when the server refuses it twice', () => {
    const cluster = clusterOf();
    cluster.calm();
    const handle = cluster.server.handle.bind(cluster.server);
    let refusals = 2;
    vi.spyOn(cluster.server, 'handle').mockImplementation((request) => {
      const isStatus = request.resource.plural === 'daemonsets' && request.subresource === 'status';
      return isStatus && refusals-- > 0 ? { code: 500, body: {} } : handle(request);
    });
    change(cluster, { spec: { revisionHistoryLimit: 5 } });
    cluster.calm();
    expect(setIn(cluster).status).toMatchObject({ observedGeneration: 1 });
    cluster.send(podNamed('other'));
    cluster.calm();
    expect(setIn(cluster).status).toMatchObject({ observedGeneration: 2 });
  });

  it('is idle at the end', () => {
    const cluster = clusterOf();
    cluster.calm();
    expect(faultOf(cluster, /^daemonset controller/)).toBeUndefined();
    expect(cluster.calm()).toEqual([]);
  });
});
