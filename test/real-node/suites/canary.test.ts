import { afterAll, beforeAll, expect, it } from 'vitest';
import { waitFor } from '#test/control-plane/poll.ts';
import type { RealNode } from '../node.ts';
import { describeNode } from './node-suite.ts';
import { kubectl, read, restrictedNamespace, startOperatorNode } from './operator-node.ts';

const REQUESTS = 200;
const ANSWER_MS = 2000;

interface RolloutStatus {
  readonly phase: string;
  readonly canaryHash?: string;
}

const rolloutOf = (image: string): object => ({
  apiVersion: 'deploy.example.com/v1alpha1',
  kind: 'CanaryRollout',
  metadata: { name: 'web' },
  spec: {
    replicas: 4,
    template: {
      spec: {
        terminationGracePeriodSeconds: 2,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
        containers: [
          {
            name: 'web',
            image,
            ports: [{ containerPort: 80 }],
            readinessProbe: { httpGet: { path: '/', port: 80 }, periodSeconds: 1 },
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
          },
        ],
      },
    },
    steps: [{ percent: 25, pause: true }, { percent: 100 }],
  },
});

const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web' },
  spec: { selector: { 'deploy.example.com/canaryrollout': 'web' }, ports: [{ port: 80 }] },
};

describeNode('a canary of real web servers', () => {
  let node: RealNode;
  let namespace: string;
  let address: string;
  beforeAll(async () => {
    node = await startOperatorNode();
    namespace = await restrictedNamespace(node, 'canary');
    await kubectl(node, ['create', `--namespace=${namespace}`, '--filename=-'], service);
    const { spec } = await read<{ spec: { clusterIP: string } }>(node, ['service', 'web', `--namespace=${namespace}`]);
    address = `${spec.clusterIP}:80`;
  });
  afterAll(async () => node?.stop());

  /** The number of answers of the Service by their text. Each request has a connection of its own. */
  const answers = async (requests: number): Promise<Readonly<Record<string, number>>> => {
    const { port, close } = await node.forward(address);
    const counts: Record<string, number> = {};
    for (let count = 0; count < requests; count++) {
      const text = await fetch(`http://127.0.0.1:${port}/`, {
        headers: { connection: 'close' },
        // The address of a pod that has just ended does not refuse a connection: the kernel tries it for two minutes.
        signal: AbortSignal.timeout(ANSWER_MS),
      }).then(
        async (response) => (await response.text()).trim(),
        () => 'no answer',
      );
      counts[text] = (counts[text] ?? 0) + 1;
    }
    close();
    return counts;
  };
  /** kube-proxy follows the endpoints of a Service with a delay. */
  const answered = (versions: readonly string[]): Promise<void> =>
    waitFor(`answers of ${versions.join(' and ')}`, async () => {
      const found = Object.keys(await answers(20));
      return found.toSorted().join() === versions.join();
    });
  const apply = (image: string): Promise<string> =>
    kubectl(node, ['apply', `--namespace=${namespace}`, '--filename=-'], rolloutOf(image));
  const status = async (): Promise<RolloutStatus | undefined> =>
    (await read<{ status?: RolloutStatus }>(node, ['canaryrollout', 'web', `--namespace=${namespace}`])).status;
  const phase = async (): Promise<string | undefined> => (await status())?.phase;
  const promote = async (): Promise<string> => {
    const command = { id: 'promoted', verb: 'promote', revision: (await status())?.canaryHash };
    const annotation = `deploy.example.com/command=${JSON.stringify(command)}`;
    return kubectl(node, ['annotate', 'canaryrollout', 'web', `--namespace=${namespace}`, annotation]);
  };

  it('gets a quarter of the requests at 25 %, and all of them after its promotion', async () => {
    await apply('nginx:1.28');
    await waitFor('the first version', async () => (await phase()) === 'Healthy');
    await answered(['1.28']);
    expect(await answers(REQUESTS)).toEqual({ '1.28': REQUESTS });
    await apply('nginx:1.29');
    await waitFor('the pause at 25 %', async () => (await phase()) === 'Paused');
    await answered(['1.28', '1.29']);
    const { '1.28': stable = 0, '1.29': canary = 0 } = await answers(REQUESTS);
    expect(stable + canary).toBe(REQUESTS);
    // 50 are expected; five standard deviations of a choice by chance.
    expect(canary).toBeGreaterThan(20);
    expect(canary).toBeLessThan(80);
    await promote();
    await waitFor('the promotion', async () => (await phase()) === 'Healthy');
    await answered(['1.29']);
    expect(await answers(REQUESTS)).toEqual({ '1.29': REQUESTS });
  });
});
