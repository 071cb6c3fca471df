import type { Node, Pod } from 'kubernetes-types/core/v1.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { waitFor } from '#test/control-plane/poll.ts';
import { NODE_NAME } from '../components.ts';
import type { RealNode } from '../node.ts';
import { NODE_DISK_MIB } from '../place/setup.ts';
import { describeNode } from './node-suite.ts';
import {
  childrenCreated,
  kubectl,
  operatorIsUp,
  operatorPods,
  read,
  restrictedNamespace,
  startOperatorNode,
} from './operator-node.ts';

const REPLICAS = 3;

const LABELS = { app: 'writers' };

/** Pods that fit into a restricted namespace, with a volume on the disk of the node. */
const writers = {
  apiVersion: 'app.example.com/v1alpha1',
  kind: 'PodSet',
  metadata: { name: 'writers' },
  spec: {
    replicas: REPLICAS,
    failedPods: { keepLast: 5 },
    selector: { matchLabels: LABELS },
    template: {
      metadata: { labels: LABELS },
      spec: {
        terminationGracePeriodSeconds: 1,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 1000,
          fsGroup: 1000,
          seccompProfile: { type: 'RuntimeDefault' },
        },
        volumes: [{ name: 'data', emptyDir: {} }],
        containers: [
          {
            name: 'writer',
            image: 'busybox',
            command: ['sleep', '3600'],
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
            volumeMounts: [{ name: 'data', mountPath: '/data' }],
          },
        ],
      },
    },
  },
};

interface PodSet {
  readonly status?: {
    readonly readyReplicas?: number;
  };
}

describeNode('a pod that fills the disk of its node', () => {
  let node: RealNode;
  let namespace: string;
  beforeAll(async () => {
    node = await startOperatorNode();
    namespace = await restrictedNamespace(node, 'pressure');
    await kubectl(node, ['create', `--namespace=${namespace}`, '--filename=-'], writers);
    await settled();
  });
  afterAll(async () => node?.stop());

  const status = async (): Promise<PodSet['status']> =>
    (await read<PodSet>(node, ['podset', 'writers', `--namespace=${namespace}`])).status;
  const pods = async (): Promise<readonly Pod[]> =>
    (await read<{ items: readonly Pod[] }>(node, ['pods', `--namespace=${namespace}`])).items;
  const settled = (): Promise<void> =>
    waitFor('all pods to run', async () => (await status())?.readyReplicas === REPLICAS);
  const hasPressure = async (): Promise<boolean> =>
    (await read<Node>(node, ['node', NODE_NAME])).status?.conditions?.some(
      ({ type, status: value }) => type === 'DiskPressure' && value === 'True',
    ) ?? false;

  it('is evicted by the kubelet and replaced, once the node takes pods again; the operator stays', async () => {
    const operator = (await operatorPods(node)).map(({ metadata }) => metadata?.uid);
    const victim = (await pods())[0]?.metadata?.name ?? '';
    // A kubelet that cannot write a byte does not finish the eviction: kubelet.log, "could not save checkpoint".
    const fill = ['dd', 'if=/dev/zero', 'of=/data/full', 'bs=1M', `count=${Math.floor(NODE_DISK_MIB * 0.95)}`];
    await kubectl(node, ['exec', `--namespace=${namespace}`, victim, '--', ...fill]);
    const evicted = async (): Promise<Pod | undefined> =>
      (await pods()).find(({ metadata, status: { reason } = {} }) => metadata?.name === victim && reason === 'Evicted');
    await waitFor('the eviction', async () => (await evicted()) !== undefined);
    const created = async (): Promise<number> => (await childrenCreated(node, 'pods', 'writers-')).length;
    await waitFor('a replacement', async () => (await created()) > REPLICAS);
    await settled();
    await waitFor('the end of the pressure', async () => !(await hasPressure()));
    expect(await evicted()).toBeDefined();
    await operatorIsUp(node);
    expect((await operatorPods(node)).map(({ metadata }) => metadata?.uid)).toEqual(operator);
    expect(await created()).toBe(REPLICAS + 1);
  });
});
