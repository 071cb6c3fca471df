import { describe, expect, it } from 'vitest';
import type { StoredPod } from '#lib/controllers/workload.ts';
import { createCluster, type VirtualCluster } from './cluster.ts';
import { deletionOf, deploymentOf, nodeNamed, patchOf, podNamed } from './requests.ts';

const podsOf = (cluster: VirtualCluster): readonly StoredPod[] => cluster.objects('pods') as readonly StoredPod[];

const byText = (a: string, b: string): number => (a < b ? -1 : 1);

const summary = ({ metadata, status }: StoredPod): readonly unknown[] => [
  metadata.name,
  status?.phase,
  status?.conditions?.find(({ type }) => type === 'Ready')?.status,
  metadata.deletionTimestamp !== undefined,
];

describe('kubelet()', () => {
  it('gives each pod an address of its own, and reuses those of pods that are gone', () => {
    const cluster = createCluster();
    for (const name of ['a', 'b']) cluster.send(podNamed(name));
    cluster.calm();
    const addresses = (): unknown[] => podsOf(cluster).map(({ status }) => status?.podIP);
    expect(addresses()).toEqual(['10.128.0.1', '10.128.0.2']);
    cluster.send(deletionOf(podsOf(cluster)[0]!));
    cluster.calm();
    cluster.send(podNamed('c'));
    cluster.calm();
    expect(addresses()).toEqual(['10.128.0.2', '10.128.0.1']);
  });

  it('removes a deleted pod in two steps', () => {
    const cluster = createCluster();
    cluster.send(podNamed('a'));
    cluster.calm();
    cluster.send(deletionOf(podsOf(cluster)[0]!));
    expect(cluster.calm()).toEqual(['kubelet: stop pod default/a', 'kubelet: remove pod default/a']);
    expect(podsOf(cluster)).toEqual([]);
  });

  it('restarts failed containers, later each time', () => {
    const cluster = createCluster();
    cluster.send(podNamed('a'));
    cluster.calm(0);
    const early = [0, 9, 19].map((seconds) => {
      cluster.run('kubelet: container app of pod default/a fails');
      const steps = cluster.calm(seconds).length;
      cluster.calm(1);
      return steps;
    });
    expect(early).toEqual([1, 0, 0]);
    expect(podsOf(cluster)[0]?.status?.containerStatuses?.[0]).toMatchObject({ restartCount: 3, ready: true });
  });

  it('replaces an evicted pod of a ReplicaSet', () => {
    const cluster = createCluster();
    cluster.send(deploymentOf(1));
    cluster.calm();
    cluster.run(/^kubelet: evict pod/);
    cluster.calm();
    expect(
      podsOf(cluster)
        .map(({ status }) => status?.phase ?? '')
        .toSorted(byText),
    ).toEqual(['Failed', 'Running']);
  });

  it('lets a termination hang until it goes on', () => {
    const cluster = createCluster();
    cluster.send(podNamed('a'));
    cluster.calm();
    cluster.send(deletionOf(podsOf(cluster)[0]!));
    cluster.run('kubelet: termination of pod default/a hangs');
    expect(cluster.calm(599)).toEqual([]);
    expect(cluster.calm(1)).toHaveLength(3);
    expect(podsOf(cluster)).toEqual([]);
  });

  it('never ends a termination that is stuck for good', () => {
    const cluster = createCluster();
    cluster.send(podNamed('a', { annotations: { 'kubelet.sim/never-stops': 'true' } }));
    cluster.calm();
    cluster.send(deletionOf(podsOf(cluster)[0]!));
    cluster.calm();
    expect(podsOf(cluster).map(summary)).toEqual([['a', 'Running', 'True', true]]);
  });

  it('brings readiness back after it was lost', () => {
    const cluster = createCluster({ behavior: () => ({ readyAfterMs: 5000 }) });
    cluster.send(podNamed('a'));
    cluster.calm();
    cluster.run('kubelet: pod default/a becomes unready');
    expect(podsOf(cluster).map(summary)).toEqual([['a', 'Running', 'False', false]]);
    expect([cluster.calm(4), cluster.calm(1)]).toEqual([[], ['kubelet: ready pod default/a']]);
  });
});

const onTwoNodes = (): VirtualCluster => {
  const cluster = createCluster({ nodes: [{ name: 'node-1' }, { name: 'node-2' }] });
  cluster.send(deploymentOf(2));
  cluster.calm();
  return cluster;
};

describe('lost nodes', () => {
  it('make their pods unready after 50 s, and back they are ready again', () => {
    const cluster = onTwoNodes();
    cluster.run('nodes: lose node-1');
    cluster.calm(49);
    expect(podsOf(cluster).map((pod) => summary(pod)[2])).toEqual(['True', 'True']);
    cluster.calm(1);
    expect(
      podsOf(cluster)
        .map((pod) => String(summary(pod)[2]))
        .toSorted(byText),
    ).toEqual(['False', 'True']);
    cluster.run('nodes: node-1 comes back');
    cluster.calm(5);
    expect(podsOf(cluster).map((pod) => summary(pod)[2])).toEqual(['True', 'True']);
  });

  it('leave their pods terminating after the toleration, and replaced', () => {
    const cluster = onTwoNodes();
    cluster.run('nodes: lose node-1');
    cluster.calm(351);
    const states = podsOf(cluster).map((pod) => [pod.spec.nodeName, ...summary(pod).slice(1)]);
    expect(states).toHaveLength(3);
    expect(states).toEqual(
      expect.arrayContaining([
        ['node-1', 'Running', 'False', true],
        ['node-2', 'Running', 'True', false],
      ]),
    );
    const lost = podsOf(cluster).find(({ spec }) => spec.nodeName === 'node-1');
    expect(lost?.status?.conditions?.find(({ type }) => type === 'DisruptionTarget')?.reason).toBe(
      'DeletionByTaintManager',
    );
    cluster.calm();
    expect(podsOf(cluster).map((pod) => [pod.spec.nodeName, summary(pod)[1]])).toEqual([
      ['node-2', 'Running'],
      ['node-2', 'Running'],
    ]);
  });
});

describe('scheduler()', () => {
  it('spreads pods over nodes that match their selector', () => {
    const cluster = createCluster({ nodes: [{ name: 'a' }, { name: 'b', labels: { disk: 'ssd' } }] });
    for (const name of ['1', '2', '3']) cluster.send(podNamed(name));
    cluster.send(podNamed('4', {}, { nodeSelector: { disk: 'ssd' } }));
    cluster.calm();
    expect(podsOf(cluster).map(({ spec }) => spec.nodeName)).toEqual(['a', 'b', 'a', 'b']);
  });

  it('follows the labels, taints and cordons of stored nodes', () => {
    const names = ['a', 'b', 'c'];
    const cluster = createCluster({ nodes: names.map((name) => ({ name, labels: { disk: 'ssd' } })) });
    const taint = { key: 'team', value: 'x', effect: 'NoSchedule' };
    cluster.send(nodeNamed('a', { labels: { disk: 'slow' } }));
    cluster.send(nodeNamed('b', {}, { taints: [taint] }));
    cluster.send(nodeNamed('c', {}, { unschedulable: true }));
    cluster.send(podNamed('1', {}, { nodeSelector: { disk: 'ssd' } }));
    cluster.calm();
    expect(podsOf(cluster)[0]?.status?.conditions?.[0]?.message).toBe(
      "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable. no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.",
    );
    const [a, b, c] = cluster.objects('nodes');
    cluster.send(patchOf(a!, { metadata: { labels: { disk: 'ssd' } } }));
    cluster.calm();
    cluster.send(podNamed('2', {}, { tolerations: [{ key: 'team', operator: 'Exists' }] }));
    cluster.send(patchOf(c!, { spec: { unschedulable: false } }));
    cluster.calm();
    cluster.send(patchOf(b!, { spec: { taints: [] } }));
    cluster.send(podNamed('3'));
    cluster.send(podNamed('4'));
    cluster.calm();
    expect(podsOf(cluster).map(({ spec }) => spec.nodeName)).toEqual(['a', 'b', 'c', 'a']);
  });

  it('binds to a node that came back and still has the taint of a node that is not ready', () => {
    const cluster = createCluster({ nodes: [{ name: 'a', lostSinceMs: 0 }] });
    cluster.send(nodeNamed('a', {}, { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }] }));
    cluster.send(podNamed('1'));
    cluster.run('nodes: a comes back');
    cluster.calm();
    expect(podsOf(cluster).map(({ spec }) => spec.nodeName)).toEqual(['a']);
  });

  it('says once why a pod has no node, and binds it when there is one', () => {
    const cluster = createCluster();
    cluster.run('nodes: lose node-1');
    cluster.send(podNamed('a'));
    expect(cluster.calm(10)).toEqual(['scheduler: report pod default/a unschedulable']);
    expect(podsOf(cluster)[0]?.status?.conditions?.[0]).toMatchObject({
      type: 'PodScheduled',
      reason: 'Unschedulable',
    });
    cluster.run('nodes: node-1 comes back');
    cluster.calm();
    expect(podsOf(cluster).map(summary)).toEqual([['a', 'Running', 'True', false]]);
  });

  it('leaves a pod pending and names what it does not consider when the pod asks for it', () => {
    const cluster = createCluster();
    const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'a' } } };
    const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
    cluster.send(podNamed('a', {}, { affinity: { podAntiAffinity } }));
    cluster.calm();
    expect(podsOf(cluster)[0]?.status?.conditions?.[0]).toMatchObject({
      reason: 'Unschedulable',
      message: 'the virtual scheduler does not implement spec.affinity',
    });
  });

  it('leaves gated pods alone', () => {
    const cluster = createCluster();
    cluster.send(podNamed('a', {}, { schedulingGates: [{ name: 'example.com/wait' }] }));
    expect(cluster.calm()).toEqual([]);
    cluster.send(patchOf(podsOf(cluster)[0]!, { spec: { schedulingGates: null } }));
    cluster.calm();
    expect(podsOf(cluster).map(summary)).toEqual([['a', 'Running', 'True', false]]);
  });
});
