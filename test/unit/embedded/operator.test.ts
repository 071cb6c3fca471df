import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { connectTo } from '#lib/cli/shell/cluster.ts';
import type { CliContext } from '#lib/cli/shell/context.ts';
import { createKubeClient, type KubeClient } from '#lib/kube/client/client.ts';
import { loadCredentials } from '#lib/kube/credentials/credentials.ts';
import type { ApiObject, ApiResource } from '#lib/kube/interface/api.ts';
import { type EmbeddedCluster, startEmbeddedCluster } from '#lib/testing.ts';
import { repository } from '#test/architecture/repository.ts';
import { committedBundle, OPERATOR, OPERATOR_USER } from '#test/control-plane/install.ts';
import { type OperatorProcess, startOperator } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { type Ran, ran } from '#test/unit/cli/run-cli.ts';

const podSets = {
  apiVersion: 'app.example.com/v1alpha1',
  kind: 'PodSet',
  plural: 'podsets',
  scope: 'Namespaced',
} as const;
const rollouts = {
  apiVersion: 'deploy.example.com/v1alpha1',
  kind: 'CanaryRollout',
  plural: 'canaryrollouts',
  scope: 'Namespaced',
} as const;
const pods = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' } as const;
const events = { apiVersion: 'events.k8s.io/v1', kind: 'Event', plural: 'events', scope: 'Namespaced' } as const;
const fieldManager = 'test';
const namespace = 'default';
const example = { namespace, name: 'example-podset' };

const IN_CLUSTER: ReadonlySet<string> = new Set([
  'Namespace',
  'CustomResourceDefinition',
  'ClusterRole',
  'ClusterRoleBinding',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
]);

const resourceOf = ({ apiVersion, kind }: ApiObject): ApiResource => ({
  apiVersion,
  kind,
  plural: `${kind.toLowerCase()}s`.replace(/ys$/, 'ies'),
  scope: IN_CLUSTER.has(kind) ? 'Cluster' : 'Namespaced',
});

const objectsIn = async (path: string): Promise<readonly ApiObject[]> =>
  parseAllDocuments(await readFile(path, 'utf8')).map((document) => document.toJS() as ApiObject);

/** Starting is slow on a busy machine. */
const PATIENCE_MS = 300_000;

let cluster: EmbeddedCluster;
let client: KubeClient;
let operator: OperatorProcess;

const apply = async (object: ApiObject): Promise<unknown> => {
  const { namespace: place, name } = object.metadata;
  const target = { name, ...(place !== undefined && { namespace: place }) };
  return client.apply(resourceOf(object), target, object, { force: true, fieldManager });
};

beforeAll(async () => {
  cluster = await startEmbeddedCluster();
  client = createKubeClient(await loadCredentials({ env: { KUBECONFIG: cluster.kubeconfig } }));
  for (const object of await objectsIn(committedBundle)) await apply(object);
  operator = await startOperator({
    kubeconfig: await cluster.kubeconfigOf(OPERATOR, OPERATOR),
    env: { POD_NAMESPACE: OPERATOR, LEASE_NAME: OPERATOR },
  });
}, PATIENCE_MS);

afterAll(async () => {
  await operator?.stop();
  await client?.close();
  await cluster?.close();
});

const manifest = fileURLToPath(new URL('../../manifests/podset.yaml', import.meta.url));

/** Runs a command with the `KUBECONFIG` of the cluster. */
const command = (line: string): Promise<Ran> => {
  const { signal } = new AbortController();
  const connect: CliContext['connect'] = (choice) =>
    connectTo(choice, { env: { KUBECONFIG: cluster.kubeconfig }, signal });
  return ran(line, { cwd: repository, now: () => Date.now(), connect });
};

const templateOf = (version: string) => ({ spec: { containers: [{ name: 'web', image: `nginx:${version}` }] } });

const converged = async (replicas: number): Promise<void> => {
  await waitFor(`${replicas} ready replicas`, async () => {
    const { status, metadata } = (await client.get(podSets, example)) as ApiObject & {
      readonly metadata: { readonly generation: number };
      readonly status?: { readonly readyReplicas?: number; readonly observedGeneration?: number };
    };
    return status?.readyReplicas === replicas && status.observedGeneration === metadata.generation;
  });
};

const ofOperator = (): string[] =>
  cluster
    .requests()
    .filter(({ user }) => user === OPERATOR_USER)
    .map(({ code, verb, resource }) => `${code} ${verb} ${resource}`);

describe('the operator on the embedded cluster, under its own ServiceAccount', () => {
  it('makes a PodSet converge, and records events about it', async () => {
    for (const podSet of await objectsIn(manifest)) await client.create(podSets, podSet, { namespace, fieldManager });
    await converged(3);
    expect((await client.list(pods, { namespace })).items).toHaveLength(3);
    await waitFor('an event', async () => (await client.list(events, { namespace })).items.length > 0);
    const { items } = await client.list(events, { namespace });
    expect(items.map((event) => (event as unknown as { regarding: { name: string } }).regarding.name)).toContain(
      example.name,
    );
  });

  it('follows when the PodSet is scaled, and replaces a pod that is deleted', async () => {
    await client.patch(podSets, example, { spec: { replicas: 1 } }, { type: 'merge', fieldManager });
    await converged(1);
    await waitFor('one pod', async () => (await client.list(pods, { namespace })).items.length === 1);
    const [pod] = (await client.list(pods, { namespace })).items;
    const { name = '', uid = '' } = pod?.metadata ?? {};
    await client.delete(pods, { namespace, name }, { uid });
    await waitFor('another pod', async () => {
      const { items } = await client.list(pods, { namespace });
      return items.length === 1 && items[0]?.metadata.uid !== uid;
    });
    await converged(1);
    expect((await client.list(pods, { namespace })).items.map(({ metadata }) => metadata.uid)).not.toContain(uid);
  });

  it('is what every command of the command line works with, unchanged', async () => {
    const metadata = { name: 'web' };
    const spec = { replicas: 2, template: templateOf('1'), steps: [{ percent: 50, pause: true }] };
    const body = { apiVersion: rollouts.apiVersion, kind: rollouts.kind, metadata, spec };
    await client.create(rollouts, body, { namespace, fieldManager });
    const well = { code: 0, stderr: '' };
    expect(await command('rollout status crollout/web')).toMatchObject(well);
    const change = { spec: { template: templateOf('2') } };
    await client.patch(rollouts, { namespace, ...metadata }, change, { type: 'merge', fieldManager });
    await waitFor('the step that waits for a person', async () => {
      const { stdout } = await command('rollout status crollout/web --no-watch');
      return stdout.includes('waits for a person');
    });
    expect(await command('rollout abort crollout/web')).toMatchObject({
      ...well,
      stdout: 'CanaryRollout/web abort: RolloutAborted\n',
    });
    expect(await command('crd diff')).toMatchObject({
      ...well,
      stdout: expect.stringMatching(/^(?:\S+: the same\n){5}$/),
    });
    const tree = await command('tree podset/example-podset');
    expect(tree).toMatchObject({ ...well, stdout: expect.stringMatching(/\n└─Pod\/example-podset-\w+ +1\/1 /) });
    const explained = await command('explain podset/example-podset');
    expect(explained.stdout).toContain('nothing: all children are up to date');
    const doctor = await command('doctor');
    expect(doctor.stdout).not.toMatch(/^failed/m);
    expect(doctor.stdout).toMatch(/^ok +lease .+\nok +rights .+ may do all that the kinds need/m);
    const plan = await command(`plan -f ${manifest}`);
    expect(plan).toMatchObject({
      code: 2,
      stderr: '',
      stdout: expect.stringContaining('Plan: 2 to create, 0 to change, 0 to delete.'),
    });
  });

  it('is refused nothing: it needs no more than the bundle grants, and no more than the cluster serves', () => {
    const refused = ofOperator().filter((request) => /^(?:401|403|404|405|415|50\d)/.test(request));
    // The operator looks for the leader's lease before it exists.
    expect(refused.filter((request) => request !== '404 get leases.coordination.k8s.io')).toEqual([]);
    expect(ofOperator()).toContain('200 patch podsets.app.example.com/status');
  });
});
