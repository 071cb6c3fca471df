import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { repository } from '#test/architecture/repository.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { writeOperatorImage } from '../images/operator-image.ts';
import type { RealNode } from '../node.ts';
import { describeNode } from './node-suite.ts';
import { type FollowedLogs, followLogs } from './operator-logs.ts';
import {
  applyBundle,
  childrenCreated,
  kubectl,
  operatorIsUp,
  operatorPods,
  read,
  startOperatorNode,
} from './operator-node.ts';

/** The sleeps between the steps of the classic manifest. */
const SLEEPS_MS = 120_000;

/** The classic manifests, unchanged; each is named after its kind. */
const MANIFESTS = ['appservice', 'canaryrollout', 'deployer', 'immortalcontainer', 'podset'] as const;

interface Rollout {
  readonly status?: {
    readonly phase: string;
    readonly stableVersion?: string;
    readonly conditions: readonly { readonly type: string; readonly status: string }[];
  };
}

describeNode('an operator that is rolled while rollouts run', () => {
  let node: RealNode;
  let logs: FollowedLogs;
  let next: string;
  beforeAll(async () => {
    const { layout, digest } = await writeOperatorImage('0.1.1');
    next = digest;
    node = await startOperatorNode({ layouts: [layout] });
    logs = followLogs(node);
    for (const name of MANIFESTS)
      await kubectl(
        node,
        ['apply', '--namespace=default', '--filename=-'],
        await readFile(join(repository, 'test/manifests', `${name}.yaml`), 'utf8'),
      );
  });
  afterAll(async () => node?.stop());

  const statusOf = async (kind: string, name: string): Promise<Rollout['status']> =>
    (await read<Rollout>(node, [kind, name, '--namespace=default'])).status;
  const patch = (kind: string, name: string, spec: object): Promise<string> =>
    kubectl(node, ['patch', kind, name, '--namespace=default', '--type=merge', `--patch=${JSON.stringify({ spec })}`]);
  it('runs the classic manifests with their own images', async () => {
    for (const kind of MANIFESTS) {
      const isReady = async (): Promise<boolean> => {
        interface List {
          readonly items: readonly Rollout[];
        }
        const { items } = await read<List>(node, [kind, '--namespace=default']);
        const ready = items[0]?.status?.conditions.find(({ type }) => type === 'Ready');
        return ready?.status === 'True';
      };
      await waitFor(`${kind} to be ready`, isReady, { pollMs: 200 });
    }
    expect(await childrenCreated(node, 'deployments', 'nginx-')).toEqual(['nginx-1.7.7']);
  });

  it('ends both rollouts, makes no child twice and logs no error', async () => {
    const startedAt = performance.now();
    await patch('deployer', 'nginx', { deployment: { version: '1.7.8' } });
    await waitFor(
      'the rollout of the Deployer',
      async () => (await statusOf('deployer', 'nginx'))?.phase !== 'Healthy',
    );
    const template = { spec: { containers: [{ name: 'nginx', image: 'nginx:1.29' }] } };
    await patch('canaryrollout', 'example-rollout', { template });
    const before = new Set((await operatorPods(node)).map(({ metadata }) => metadata?.name));
    await applyBundle(node, next);
    await operatorIsUp(node);
    const pods = await operatorPods(node);
    expect(pods.filter(({ metadata }) => before.has(metadata?.name))).toEqual([]);
    for (const { status } of pods) expect(status?.containerStatuses?.[0]?.imageID).toContain(next);

    const isHealthy = async (kind: string, name: string): Promise<boolean> =>
      (await statusOf(kind, name))?.phase === 'Healthy';
    await waitFor('the end of the canary', () => isHealthy('canaryrollout', 'example-rollout'), { pollMs: 200 });
    await waitFor('the end of the Deployer', () => isHealthy('deployer', 'nginx'), { pollMs: 200 });
    // The sleeps go on under the next leader: they neither start again nor end early.
    const took = performance.now() - startedAt;
    expect(took).toBeGreaterThan(SLEEPS_MS);
    expect(took).toBeLessThan(SLEEPS_MS + 60_000);
    expect((await statusOf('deployer', 'nginx'))?.stableVersion).toBe('1.7.8');
    expect(await childrenCreated(node, 'deployments', 'nginx-')).toEqual(['nginx-1.7.7', 'nginx-1.7.8']);
    const canaries = await childrenCreated(node, 'deployments', 'example-rollout-');
    expect(canaries).toEqual([...new Set(canaries)]);
    expect(canaries).toHaveLength(2);
    const errors = await logs.errors();
    expect(Object.keys(errors).length).toBeGreaterThanOrEqual(4);
    expect(Object.values(errors).flat()).toEqual([]);
  });
});
