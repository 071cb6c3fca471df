import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ServerRequest } from '#lib/apiserver/machinery/request.ts';
import type { ActorStep } from '#lib/controllers/actor.ts';
import type { StoredDeployment, StoredPod } from '#lib/controllers/workload.ts';
import { runs } from '#test/properties.ts';
import { createCluster, type VirtualCluster } from './cluster.ts';
import { deletionOf, deploymentOf, patchOf } from './requests.ts';

const isLive = ({ metadata }: ServerObject): boolean => metadata.deletionTimestamp === undefined;

/** Writes of other clients: delete pods and ReplicaSets, remove a pod's owners, label it. */
const interference = (cluster: VirtualCluster): readonly ActorStep[] => {
  const step = (object: ServerObject, verb: string, request: ServerRequest): ActorStep => ({
    label: `other client: ${verb} ${object.kind} ${object.metadata.name}`,
    isFault: true,
    run: () => void cluster.server.handle(request),
  });
  const onPod = (pod: ServerObject): readonly ActorStep[] => {
    const touched = pod.metadata.labels?.['touched'] === undefined ? 'true' : null;
    return [
      ...(isLive(pod) ? [step(pod, 'delete', deletionOf(pod))] : []),
      ...((pod.metadata.ownerReferences ?? []).length > 0
        ? [step(pod, 'remove owners of', patchOf(pod, { metadata: { ownerReferences: null } }))]
        : []),
      step(pod, 'label', patchOf(pod, { metadata: { labels: { touched } } })),
    ];
  };
  const onReplicaSet = (set: ServerObject): readonly ActorStep[] =>
    ['Foreground', 'Orphan'].map((policy) => step(set, `delete (${policy})`, deletionOf(set, policy)));
  return [
    ...cluster.objects('pods').flatMap(onPod),
    ...cluster.objects('replicasets').filter(isLive).flatMap(onReplicaSet),
  ];
};

const createTroubled = (): VirtualCluster => {
  const cluster = createCluster({
    nodes: [{ name: 'node-1' }, { name: 'node-2' }],
    behavior: () => ({ readyAfterMs: 2000, stopAfterMs: 1000 }),
  });
  return { ...cluster, steps: () => [...cluster.steps(), ...interference(cluster)] };
};

const deploymentIn = (cluster: VirtualCluster): StoredDeployment =>
  cluster.objects('deployments')[0] as StoredDeployment;

/** Takes any enabled step, including early ones and faults. */
const take = (cluster: VirtualCluster, choice: number): ActorStep | undefined => {
  const steps = cluster.steps();
  const step = steps[choice % Math.max(1, steps.length)];
  step?.run();
  return step;
};

const choices = fc.array(fc.nat(), { maxLength: 60 });

const isOwn = ({ metadata, status }: StoredPod): boolean =>
  (metadata.ownerReferences ?? []).length > 0 && status?.phase !== 'Failed' && status?.phase !== 'Succeeded';

describe('createActors()', () => {
  it('bring every deployment to what it wants after any trouble, and rest', () => {
    fc.assert(
      fc.property(choices, fc.nat({ max: 3 }), choices, (before, replicas, after) => {
        const cluster = createTroubled();
        cluster.send(deploymentOf(2));
        for (const choice of before) take(cluster, choice);
        cluster.send(
          patchOf(deploymentIn(cluster), {
            spec: { replicas, template: { spec: { containers: [{ name: 'app', image: 'app:2' }] } } },
          }),
        );
        for (const choice of after) take(cluster, choice);
        cluster.calm(2 * 3600);
        const { status, metadata } = deploymentIn(cluster);
        const { updatedReplicas = 0, availableReplicas = 0, observedGeneration } = status ?? {};
        expect([updatedReplicas, availableReplicas, observedGeneration]).toEqual([
          replicas,
          replicas,
          metadata.generation,
        ]);
        expect((cluster.objects('pods') as readonly StoredPod[]).filter(isOwn)).toHaveLength(replicas);
        expect(cluster.calm()).toEqual([]);
      }),
      { numRuns: runs(25) },
    );
  });

  it('leave nothing behind when a deployment is deleted amid trouble', () => {
    fc.assert(
      fc.property(choices, fc.constantFrom('Foreground', 'Background'), choices, (before, policy, after) => {
        const cluster = createTroubled();
        cluster.send(deploymentOf(2));
        for (const choice of before) take(cluster, choice);
        cluster.send(deletionOf(deploymentIn(cluster), policy));
        for (const choice of after) take(cluster, choice);
        cluster.calm(2 * 3600);
        expect(cluster.objects('deployments')).toEqual([]);
        const owned = [...cluster.objects('pods'), ...cluster.objects('replicasets')].filter(({ metadata }) =>
          (metadata.ownerReferences ?? []).some(({ kind }) => kind === 'Deployment'),
        );
        expect(owned).toEqual([]);
        expect(cluster.calm()).toEqual([]);
      }),
      { numRuns: runs(25) },
    );
  });

  it('offer steps of different labels, in the same order every time, without doing anything', () => {
    fc.assert(
      fc.property(choices, (taken) => {
        const [one, other] = [createTroubled(), createTroubled()];
        for (const cluster of [one, other]) cluster.send(deploymentOf(2));
        for (const choice of taken) {
          const labels = one.steps().map(({ label }) => label);
          expect(new Set(labels).size).toBe(labels.length);
          const { resourceVersion } = one.server;
          expect(other.steps().map(({ label }) => label)).toEqual(labels);
          expect(one.server.resourceVersion).toBe(resourceVersion);
          take(one, choice);
          take(other, choice);
        }
        expect(one.server.dump()).toEqual(other.server.dump());
      }),
      { numRuns: runs(15) },
    );
  });
});
