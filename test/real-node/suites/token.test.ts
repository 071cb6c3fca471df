import type { Pod } from 'kubernetes-types/core/v1.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OPERATOR } from '#test/control-plane/install.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import type { RealNode } from '../node.ts';
import { describeNode } from './node-suite.ts';
import { errorsOf } from './operator-logs.ts';
import { childrenCreated, kubectl, leader, operatorPods, read, startOperatorNode } from './operator-node.ts';

/** The shortest life that the API server gives a token; the kubelet renews it after 80 % of that. */
const LIFE_SECONDS = 600;

interface Claims {
  readonly exp: number;
}

/** The token that the kubelet has written for a pod. */
const claimsIn = async (node: RealNode, pod: string): Promise<Claims> => {
  const file = '/var/run/secrets/kubernetes.io/serviceaccount/token';
  const script = `Buffer.from(require('fs').readFileSync('${file}', 'utf8').split('.')[1], 'base64url').toString()`;
  const args = ['exec', `--namespace=${OPERATOR}`, pod, '--', '/nodejs/bin/node', '--print', script];
  return JSON.parse(await kubectl(node, args)) as Claims;
};

const restartsOf = ({ status }: Pod): number | undefined => status?.containerStatuses?.[0]?.restartCount;

const edit = (bundle: string): string => bundle.replace(/expirationSeconds: \d+/, `expirationSeconds: ${LIFE_SECONDS}`);

// Eleven minutes, of which the test waits ten.
describeNode('a token of the operator that ends', () => {
  let node: RealNode;
  beforeAll(async () => {
    node = await startOperatorNode({ edit });
  });
  afterAll(async () => node?.stop());

  it.runIf(process.env['SOAK'] !== undefined)(
    'is replaced by the kubelet: the same process goes on after its first token has ended',
    async () => {
      const pod = await leader(node);
      const first = await claimsIn(node, pod);
      const life = { timeoutMs: 2 * LIFE_SECONDS * 1000, pollMs: 1000 };
      await waitFor('another token in the volume', async () => (await claimsIn(node, pod)).exp > first.exp, life);
      expect(Date.now() / 1000).toBeLessThan(first.exp);
      await waitFor('the end of the first token', async () => Date.now() / 1000 > first.exp + 10, life);
      const set = {
        apiVersion: 'app.example.com/v1alpha1',
        kind: 'PodSet',
        metadata: { name: 'late' },
        spec: { replicas: 3 },
      };
      await kubectl(node, ['create', '--namespace=default', '--filename=-'], set);
      interface Set {
        readonly status?: { readonly readyReplicas?: number };
      }
      const state = (): Promise<Set> => read<Set>(node, ['podset', 'late', '--namespace=default']);
      await waitFor('three pods that run', async () => (await state()).status?.readyReplicas === 3);
      expect(await childrenCreated(node, 'pods', 'late-')).toHaveLength(3);
      expect(await leader(node)).toBe(pod);
      expect((await operatorPods(node)).map(restartsOf)).toEqual([0, 0]);
      for (const { metadata } of await operatorPods(node))
        expect(await errorsOf(node, metadata?.name ?? '')).toEqual([]);
    },
    2 * LIFE_SECONDS * 1000,
  );
});
