import type { Node, Pod } from 'kubernetes-types/core/v1.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeSigningKey } from '#test/control-plane/data.ts';
import { OPERATOR } from '#test/control-plane/install.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { NODE_NAME, type NodeComponent } from '../components.ts';
import type { RealNode } from '../node.ts';
import { describeNode } from './node-suite.ts';
import {
  childrenCreated,
  kubectl,
  operatorIsUp,
  read,
  restrictedNamespace,
  startOperatorNode,
} from './operator-node.ts';

/** The identity of a pod and the starts of its containers. */
const identityOf = ({ metadata, status }: Pod): string =>
  `${metadata?.uid} ${status?.containerStatuses?.map(({ restartCount }) => restartCount).join(' ')}`;

const uidIn = (identity: string): string => identity.split(' ')[0] ?? '';

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

  const hasStartedAgain = async (): Promise<boolean> =>
    (await identities(OPERATOR)).every((identity) => !identity.endsWith(' 0'));
  /** Scales by one, so that the operator has work to do. */
  const grows = async (): Promise<void> => {
    replicas += 1;
    await kubectl(node, ['scale', 'podset/set', `--namespace=${namespace}`, `--replicas=${replicas}`]);
    await settled();
    await operatorIsUp(node);
  };
  const created = (): Promise<readonly string[]> => childrenCreated(node, 'pods', 'set-');

  it('goes on with the next token when the API server refuses its own, whose key is gone', async () => {
    const before = await identities(OPERATOR);
    await node.restart('kube-apiserver', { whileDown: () => writeSigningKey(node.access.folder) });
    // A kubelet that starts renews the tokens in the volumes of its pods.
    await node.restart('kubelet');
    await grows();
    // Without a token no replica keeps the lease, so the leader's container may have started again.
    expect((await identities(OPERATOR)).map(uidIn)).toEqual(before.map(uidIn));
    expect(await created()).toHaveLength(replicas);
  });

  it('comes back with its pods after the whole machine has started again', async () => {
    const bootId = async (): Promise<string> =>
      (await read<Node>(node, ['node', NODE_NAME])).status?.nodeInfo?.bootID ?? '';
    const before = { bootId: await bootId(), created: (await created()).length };
    await node.reboot();
    await waitFor('another boot id', async () => (await bootId()) !== before.bootId);
    await waitFor('the containers of the operator', hasStartedAgain);
    await grows();
    expect(await created()).toHaveLength(before.created + 1);
  });
});
