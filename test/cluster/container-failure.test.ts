import type { Pod as KubePod } from 'kubernetes-types/core/v1.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectTo } from '#lib/cli/shell/cluster.ts';
import { repository } from '#test/architecture/repository.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle, startInstalledOperator } from '#test/control-plane/install.ts';
import type { OperatorProcess } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { ran } from '#test/unit/cli/run-cli.ts';

let plane: ControlPlane;
let operator: OperatorProcess;

// Without scheduler and kwok the test writes what kubelets report. The controllers make the pods of Deployments.
beforeAll(async () => {
  plane = await startControlPlane({ scheduler: false, kwok: false });
  await installBundle(plane);
  operator = await startInstalledOperator(plane);
});

afterAll(async () => {
  await operator?.stop();
  await plane?.stop();
});

const template = { spec: { containers: [{ name: 'web', image: 'web:1' }] } };

const kinds = [
  { kind: 'PodSet', group: 'app.example.com', spec: { replicas: 1, template } },
  { kind: 'AppService', group: 'app.example.com', spec: { replicas: 1 } },
  { kind: 'ImmortalContainer', group: 'immortalcontainer.flugel.it', spec: { image: 'web:1' } },
  { kind: 'CanaryRollout', group: 'deploy.example.com', spec: { replicas: 1, template } },
  {
    kind: 'Deployer',
    group: 'deploy.example.com',
    spec: { deployment: { name: 'web', image: 'web', version: '1', replicas: 1 } },
  },
] as const;

interface Stored {
  readonly metadata: { readonly resourceVersion: string };
  readonly status?: {
    readonly conditions: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly message: string;
    }[];
  };
}

const MESSAGE = 'container has runAsNonRoot and image will run as root';

/** One resource with one pod, in a namespace of its own. */
const declared = async ({ kind, group, spec }: (typeof kinds)[number]) => {
  const namespace = await plane.createNamespace('failing');
  const collection = `/apis/${group}/v1alpha1/namespaces/${namespace}/${kind.toLowerCase()}s`;
  const body = { apiVersion: `${group}/v1alpha1`, kind, metadata: { name: 'web' }, spec };
  expect((await plane.request('POST', collection, body)).status).toBe(201);
  let pod: KubePod | undefined;
  await waitFor(`a pod of ${kind}`, async () => {
    const { body: list } = await plane.request<{ items: KubePod[] }>('GET', `/api/v1/namespaces/${namespace}/pods`);
    [pod] = list.items;
    return pod !== undefined;
  });
  const name = pod?.metadata?.name ?? '';
  const container = { name: pod?.spec?.containers[0]?.name ?? '', image: 'web:1', imageID: '', restartCount: 0 };
  const report = async (status: object): Promise<void> =>
    void (await plane.request(
      'PATCH',
      `/api/v1/namespaces/${namespace}/pods/${name}/status`,
      { status },
      { contentType: 'application/merge-patch+json' },
    ));
  const read = async (): Promise<Stored> => (await plane.request<Stored>('GET', `${collection}/web`)).body;
  const conditionIn = async (type: string) => (await read()).status?.conditions.find((it) => it.type === type);
  return { namespace, container, report, conditionIn };
};

const readyIs = (status: 'True' | 'False') => [
  { type: 'Ready', status, lastTransitionTime: `${new Date().toISOString().slice(0, 19)}Z` },
];

const explained = async (word: string, namespace: string): Promise<string> => {
  const { signal } = new AbortController();
  const { stdout } = await ran(`explain ${word} -n ${namespace} --kubeconfig ${plane.kubeconfig}`, {
    connect: (choice) => connectTo(choice, { env: {}, signal }),
    cwd: repository,
    now: () => Date.now(),
  });
  return stdout;
};

describe.each(kinds)('$kind with a container that its kubelet cannot create', (each) => {
  it('names it in conditions, an event and explain, and forgets it when the pod is ready', async () => {
    const { namespace, container, report, conditionIn } = await declared(each);
    const waiting = { reason: 'CreateContainerConfigError', message: `${MESSAGE} (pod: "a_b(c)", container: web)` };
    await report({
      phase: 'Pending',
      conditions: readyIs('False'),
      containerStatuses: [{ ...container, ready: false, state: { waiting } }],
    });
    await waitFor('the failure to be named', async () => (await conditionIn('ContainerFailure')) !== undefined);
    expect(await conditionIn('ContainerFailure')).toMatchObject({
      status: 'True',
      reason: 'CreateContainerConfigError',
      message: expect.stringMatching(new RegExp(`^pod web-\\S+, container ${container.name}: ${MESSAGE}$`)) as string,
    });
    expect((await conditionIn('Ready'))?.message).toContain(MESSAGE);
    const warning = `CreateContainerConfigError\n? +.*container ${container.name}: ${MESSAGE}`;
    await waitFor('the event', async () => {
      const { stdout } = await plane.kubectl(['-n', namespace, 'get', 'events', '--field-selector=type=Warning']);
      return new RegExp(warning).test(stdout);
    });
    const text = await explained(`${each.kind.toLowerCase()}/web`, namespace);
    expect(text).toContain(`container ${container.name} may not run as root: ${MESSAGE}`);
    expect(text).toContain('set securityContext.runAsUser');
    await report({
      phase: 'Running',
      conditions: readyIs('True'),
      containerStatuses: [
        { ...container, ready: true, state: { running: { startedAt: readyIs('True')[0]?.lastTransitionTime } } },
      ],
    });
    await waitFor('Ready', async () => (await conditionIn('Ready'))?.status === 'True');
    expect(await conditionIn('ContainerFailure')).toBeUndefined();
  });
});
