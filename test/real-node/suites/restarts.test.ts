import type { Pod } from 'kubernetes-types/core/v1.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OPERATOR } from '#test/control-plane/install.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import type { NodeComponent } from '../components.ts';
import type { RealNode } from '../node.ts';
import { describeNode } from './node-suite.ts';
import { kubectl, operatorIsUp, read, restrictedNamespace, startOperatorNode } from './operator-node.ts';

/** The identity of a pod and the starts of its containers. */
const identityOf = ({ metadata, status }: Pod): string =>
  `${metadata?.uid} ${status?.containerStatuses?.map(({ restartCount }) => restartCount).join(' ')}`;

describeNode('an operator on a node whose components are killed', () => {
  let node: RealNode;
  let namespace: string;
  let replicas = 2;
  beforeAll(async () => {
    node = await startOperatorNode();
    namespace = await restrictedNamespace(node, 'restarts');
    const set = {
      apiVersion: 'app.example.com/v1alpha1',
      kind: 'PodSet',
      metadata: { name: 'set' },
      spec: { replicas },
    };
    await kubectl(node, ['create', `--namespace=${namespace}`, '--filename=-'], set);
    await settled();
  });
  afterAll(async () => node?.stop());

  const identities = async (ofNamespace: string): Promise<readonly string[]> =>
    (await read<{ items: readonly Pod[] }>(node, ['pods', `--namespace=${ofNamespace}`])).items.map(identityOf);
  const readyReplicas = async (): Promise<number | undefined> => {
    interface Set {
      readonly status?: { readonly readyReplicas?: number };
    }
    return (await read<Set>(node, ['podset', 'set', `--namespace=${namespace}`])).status?.readyReplicas;
  };
  const settled = (): Promise<void> =>
    waitFor(`${replicas} pods that run`, async () => (await readyReplicas()) === replicas);

  it.for<NodeComponent>(['kubelet', 'containerd', 'kube-apiserver', 'etcd', 'kube-proxy'])(
    'keeps its pods and goes on after %s',
    async (component) => {
      const before = { operator: await identities(OPERATOR), set: await identities(namespace) };
      await node.restart(component, { signal: 'SIGKILL' });
      replicas += 1;
      await waitFor('the API server', async () => (await node.kubectl(['get', 'namespaces'])).code === 0);
      await kubectl(node, ['scale', 'podset/set', `--namespace=${namespace}`, `--replicas=${replicas}`]);
      await settled();
      await operatorIsUp(node);
      expect(await identities(namespace)).toEqual(expect.arrayContaining([...before.set]));
      expect(await identities(OPERATOR)).toEqual(before.operator);
    },
  );
});
