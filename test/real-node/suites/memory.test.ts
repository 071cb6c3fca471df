import { afterAll, beforeAll, expect, it } from 'vitest';
import { inFlight } from '#test/bench/floor/bare-client.ts';
import { OPERATOR } from '#test/control-plane/install.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import type { RealNode } from '../node.ts';
import { describeNode } from './node-suite.ts';
import { kubectl, leader, operatorIsUp, operatorPods, read, startOperatorNode } from './operator-node.ts';

const MEBIBYTE = 2 ** 20;

/** The memory limit of the bundle. */
const LIMIT_MEBIBYTES = 256;

/** PodSets of three pods; `FLEET` sets another number, and a limit for it in MiB: `FLEET=10000,512`. */
const [SETS = 1000, LIMIT = LIMIT_MEBIBYTES] = (process.env['FLEET'] ?? '').split(',').filter(Boolean).map(Number);

/**
 * A node has room for 110 pods, so these pods select a label that no node has. The operator has as many objects in memory as if
 * they ran.
 */
const setOf = (index: number): object => ({
  apiVersion: 'app.example.com/v1alpha1',
  kind: 'PodSet',
  metadata: { name: `set-${index}`, namespace: 'default' },
  spec: {
    replicas: 3,
    template: { spec: { nodeSelector: { 'example.com/none': '' }, containers: [{ name: 'web', image: 'nginx' }] } },
  },
});

/**
 * A script that prints when the first process of the container started, and the time from then until its pod took the lease.
 */
const START = `(() => {
  const { readFileSync } = require('fs');
  const ticks = Number(readFileSync('/proc/1/stat', 'utf8').split(') ')[1].split(' ')[19]);
  return Date.now() - 1000 * (Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) - ticks / 100);
})()`;

const edit = (bundle: string): string =>
  bundle
    .replaceAll(`memory: ${LIMIT_MEBIBYTES}Mi`, `memory: ${LIMIT}Mi`)
    .replace(/--max-old-space-size=\d+/, (option) =>
      LIMIT === LIMIT_MEBIBYTES ? option : `--max-old-space-size=${Math.floor(LIMIT * 0.7)}`,
    );

describeNode('the operator in its cgroup', () => {
  let node: RealNode;
  beforeAll(async () => {
    node = await startOperatorNode({ edit });
  });
  afterAll(async () => node?.stop());

  const memory = async (): Promise<{ readonly now: number; readonly peak: number }> => {
    const pod = await leader(node);
    const found = (await operatorPods(node)).find(({ metadata }) => metadata?.name === pod);
    const id = found?.status?.containerStatuses?.[0]?.containerID?.split('/').at(-1) ?? '';
    const script =
      'cd "$(find /sys/fs/cgroup/memory -name "$0")" && cat memory.usage_in_bytes memory.max_usage_in_bytes';
    const { stdout } = await node.run(['sh', '-c', script, id]);
    const [now = 0, peak = 0] = stdout.split('\n').map((line) => Math.round(Number(line) / MEBIBYTE));
    return { now, peak };
  };

  it.runIf(process.env['SOAK'] !== undefined)('stays below its limit with many PodSets', async () => {
    const pod = await leader(node);
    const exec = ['exec', `--namespace=${OPERATOR}`, pod, '--', '/nodejs/bin/node', '--print', START];
    const startedAt = Number(await kubectl(node, exec));
    const { spec } = await read<{ spec: { acquireTime: string } }>(node, [
      'lease',
      OPERATOR,
      `--namespace=${OPERATOR}`,
    ]);
    console.error(`start of the process to lease: ${Math.round(Date.parse(spec.acquireTime) - startedAt)} ms`);
    console.error(`memory in MiB: idle ${JSON.stringify(await memory())}`);
    const begunAt = performance.now();
    const path = '/apis/app.example.com/v1alpha1/namespaces/default/podsets';
    await inFlight([...Array(SETS).keys()], async (index) => {
      expect((await node.request('POST', path, setOf(index))).status).toBe(201);
    });
    const pods = async (): Promise<number> => {
      interface List {
        readonly metadata: { readonly remainingItemCount?: number };
        readonly items: readonly object[];
      }
      const { body } = await node.request<List>('GET', '/api/v1/namespaces/default/pods?limit=1');
      return body.items.length + (body.metadata.remainingItemCount ?? 0);
    };
    const patience = { timeoutMs: 1_200_000, pollMs: 2000 };
    await waitFor(`${SETS * 3} pods`, async () => (await pods()) === SETS * 3, patience);
    console.error(`${SETS} PodSets × 3: ${Math.round((performance.now() - begunAt) / 1000)} s`);
    const atEnd = await memory();
    console.error(`memory in MiB: ${JSON.stringify(atEnd)}`);
    await operatorIsUp(node);
    expect(await leader(node)).toBe(pod);
    expect(atEnd.peak).toBeLessThan(LIMIT);
  });
});
