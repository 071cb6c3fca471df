import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleOperator } from '#apps/bundle.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import { createKubeClient, type KubeClient } from '#lib/kube/client/client.ts';
import { loadCredentials } from '#lib/kube/credentials/credentials.ts';
import { type EmbeddedCluster, startEmbeddedCluster } from '#lib/testing.ts';
import { type OperatorProcess, startOperator } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { kinds } from '../../../apps/kinds.ts';

/** Besides the heap of 179 MiB there are buffers, code and stacks. */
const MEMORY_MIB = 240;
const isSoak = process.env['SOAK'] !== undefined;
const LARGE = isSoak ? 60 : 20;
const REPLICAS = isSoak ? 1000 : 600;
/** Number of pods that the quota allows, so that all other pods stay missing. */
const FEW = 20;
const MISSING = 9980;
const NUMEROUS = isSoak ? 1000 : 350;
const FOREIGN = isSoak ? 300 : 130;

const podSets = {
  apiVersion: 'app.example.com/v1alpha1',
  kind: podSet.kind,
  plural: 'podsets',
  scope: 'Namespaced',
} as const;
const definitions = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
} as const;
const quotas = { apiVersion: 'v1', kind: 'ResourceQuota', plural: 'resourcequotas', scope: 'Namespaced' } as const;
const namespaces = { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces', scope: 'Cluster' } as const;
const deployments = { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments', scope: 'Namespaced' } as const;
const fieldManager = 'test';
const namespace = 'default';

let cluster: EmbeddedCluster;
let client: KubeClient;
let operator: OperatorProcess;
let folder: string;

/**
 * Starts the operator as the Deployment of the bundle does, with its default of 256 MiB: an image holds the bundled
 * files.
 */
const started = async (): Promise<OperatorProcess> => {
  const NODE_OPTIONS = '--max-old-space-size=179 --max-semi-space-size=8';
  const env = { NODE_OPTIONS, MALLOC_ARENA_MAX: '1', LEADER_ELECTION: 'false' };
  return startOperator({ kubeconfig: cluster.kubeconfig, env, entryPoint: join(folder, 'operator.mjs') });
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'large-objects-'));
  await bundleOperator(folder);
  cluster = await startEmbeddedCluster();
  client = createKubeClient(await loadCredentials({ env: { KUBECONFIG: cluster.kubeconfig } }));
  for (const kind of kinds) await client.create(definitions, compileCrd(kind), { fieldManager });
  operator = await started();
});

afterAll(async () => {
  await operator?.stop();
  await client?.close();
  await cluster?.close();
  await rm(folder, { recursive: true, force: true });
});

const home = { namespace };

const create = async (name: string, spec: object, where = home): Promise<unknown> => {
  const body = { apiVersion: podSets.apiVersion, kind: podSets.kind, metadata: { name, ...where }, spec };
  return client.create(podSets, body, { ...where, fieldManager });
};

interface PodSetStatus {
  readonly readyReplicas?: number;
  readonly replicas?: number;
  readonly conditions?: readonly { readonly type: string; readonly reason: string }[];
}

const statusOf = async (name: string, where = home): Promise<PodSetStatus> =>
  (await client.get(podSets, { ...where, name }))['status'] ?? {};

const reasonOf = async (name: string, where = home): Promise<string | undefined> =>
  (await statusOf(name, where)).conditions?.find(({ type }) => type === 'Stalled')?.reason;

const createNamespace = async (name: string): Promise<unknown> =>
  client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, { fieldManager });

/** Peak memory of the process in MiB, without the pages of its binary, which the kernel can drop. */
const peakMiB = async (): Promise<number> => {
  const text = await readFile(`/proc/${operator.pid}/status`, 'utf8');
  const [peak, ofFiles] = [/VmHWM:\s+(\d+)/, /RssFile:\s+(\d+)/].map((line) => Number(line.exec(text)?.[1]));
  return ((peak ?? NaN) - (ofFiles ?? NaN)) / 1024;
};

const containers = [{ name: 'a', image: 'a' }];

/** Scales a small set up and down, and waits until it converges. */
const converges = async (): Promise<void> => {
  const { readyReplicas = 0 } = await statusOf('neighbour');
  const replicas = readyReplicas + 1;
  await client.patch(
    podSets,
    { namespace, name: 'neighbour' },
    { spec: { replicas } },
    { type: 'merge', fieldManager },
  );
  await waitFor('the neighbour to converge', async () => (await statusOf('neighbour')).readyReplicas === replicas);
};

describe.runIf(process.platform === 'linux')('an operator with the memory of its Deployment', () => {
  it(`outlives ${LARGE} PodSets of 1 MB, beside a neighbour that keeps converging`, async () => {
    await create('neighbour', { replicas: 1 });
    for (let number = 0; number < LARGE; number += 1) {
      const env = [{ name: 'X', value: `${'x'.repeat(1_000_000)}${number}` }];
      await create(`large-${number}`, { replicas: 0, template: { spec: { containers: [{ ...containers[0], env }] } } });
    }
    await waitFor('the last one to be Stalled', async () => (await reasonOf(`large-${LARGE - 1}`)) === 'TooLarge');
    await converges();
    expect(await peakMiB()).toBeLessThan(MEMORY_MIB);
  });

  it(`outlives ${REPLICAS} pods with an annotation of 125 KB, which is not cached`, async () => {
    const template = { metadata: { annotations: { a: 'x'.repeat(125_000) } }, spec: { containers } };
    await create('annotated', { replicas: REPLICAS, template });
    await waitFor('its pods', async () => (await statusOf('annotated')).replicas === REPLICAS);
    await converges();
    expect(await peakMiB()).toBeLessThan(MEMORY_MIB);
  });

  it('says TooLarge of a PodSet with an annotation of 250 KB in its template', async () => {
    const template = { metadata: { annotations: { a: 'x'.repeat(250_000) } }, spec: { containers } };
    await create('beyond', { replicas: 1000, template });
    await waitFor('it to be Stalled', async () => (await reasonOf('beyond')) === 'TooLarge');
    await converges();
    expect((await statusOf('beyond')).replicas ?? 0).toBe(0);
  });

  it(`outlives a PodSet that lacks ${MISSING} pods with 300 environment variables of 100 bytes`, async () => {
    await createNamespace('vast');
    const vast = { namespace: 'vast' };
    const quota = { metadata: { name: 'few', ...vast }, spec: { hard: { pods: `${FEW}` } } };
    await client.create(quotas, { apiVersion: 'v1', kind: 'ResourceQuota', ...quota }, { ...vast, fieldManager });
    const env = Array.from({ length: 300 }, (_, index) => ({ name: `X${index}`, value: 'x'.repeat(100) }));
    await create(
      'vast',
      { replicas: FEW + MISSING, template: { spec: { containers: [{ ...containers[0], env }] } } },
      vast,
    );
    await waitFor('its first pods', async () => (await statusOf('vast', vast)).replicas === FEW);
    await converges();
    expect(await peakMiB()).toBeLessThan(MEMORY_MIB);
  });

  it(`outlives ${FOREIGN} Deployments of 1.4 MB that another writer creates`, async () => {
    await createNamespace('foreign');
    for (let number = 0; number < FOREIGN; number += 1) {
      const labels = { app: `d-${number}` };
      const env = [{ name: 'X', value: `${'x'.repeat(1_400_000)}${number}` }];
      const template = { metadata: { labels }, spec: { containers: [{ ...containers[0], env }] } };
      const spec = { replicas: 0, selector: { matchLabels: labels }, template };
      const metadata = { name: `d-${number}`, namespace: 'foreign' };
      const body = { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec };
      await client.create(deployments, body, { namespace: 'foreign', fieldManager });
    }
    await converges();
    expect(await peakMiB()).toBeLessThan(MEMORY_MIB);
  });

  it(`outlives ${NUMEROUS} PodSets of another namespace that are just below the limit, and a restart with them`, async () => {
    await createNamespace('crowd');
    const crowd = { namespace: 'crowd' };
    for (let number = 0; number < NUMEROUS; number += 1) {
      const env = [{ name: 'X', value: `${'x'.repeat(120_000)}${number}` }];
      const template = { spec: { containers: [{ ...containers[0], env }] } };
      await create(`below-${number}`, { replicas: 0, template }, crowd);
    }
    const last = `below-${NUMEROUS - 1}`;
    await waitFor('the last one to be Stalled', async () => (await reasonOf(last, crowd)) === 'TooLarge');
    expect(await reasonOf('below-0', crowd)).not.toBe('TooLarge');
    await converges();
    expect(await peakMiB()).toBeLessThan(MEMORY_MIB);
    await operator.stop();
    operator = await started();
    await converges();
    expect(await peakMiB()).toBeLessThan(MEMORY_MIB);
  });
});
