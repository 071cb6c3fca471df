import { App, Chart, Yaml } from 'cdk8s';
import { Operator } from 'cdk8s-reconcile/constructs';
import { run } from 'cdk8s-reconcile/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { runner } from '#test/examples/runner.ts';

const OPERATOR = 'neighbours';
const USER = `system:serviceaccount:${OPERATOR}:${OPERATOR}`;
const merge = { contentType: 'application/merge-patch+json' } as const;
const runnersCrd = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/runners.demo.example.com';

/** Number of PodSets that the operator needs some seconds to handle. */
const FLOODED = 150;

let plane: ControlPlane;
let ending: AbortController;
let running: Promise<void>;
let env: Readonly<Record<string, string>>;

/** One operator for both kinds, so that one kind could affect the other. */
const installation = (): string => {
  const chart = new Chart(new App(), 'chart');
  const install = (): Operator =>
    new Operator(chart, 'operator', { kinds: [podSet, runner], image: 'both:1', name: OPERATOR });
  install();
  return Yaml.stringify(...(chart.toJson() as object[]));
};

beforeAll(async () => {
  plane = await startControlPlane({ scheduler: false, kwok: false });
  await plane.kubectl(['apply', '-f', '-'], { input: installation() });
  await plane.kubectl(['wait', '--for=condition=Established', '--timeout=180s', 'crd', '--all']);
  env = {
    KUBECONFIG: await plane.serviceAccountKubeconfig(OPERATOR, OPERATOR),
    HEALTH_PORT: '0',
    METRICS_PORT: '0',
    LEADER_ELECTION: 'false',
    LOG_LEVEL: 'silent',
  };
  start();
});

const start = (): void => {
  ending = new AbortController();
  running = run({ kinds: [podSet, runner], env, signal: ending.signal });
};

afterAll(async () => {
  ending.abort();
  await running;
  await plane?.stop();
});

interface Body {
  readonly metadata: { readonly generation: number };
  readonly status?: {
    readonly observedGeneration: number;
    readonly replicas?: number;
    readonly podName?: string;
    readonly conditions: readonly { readonly type: string; readonly status: string }[];
  };
}

const podSets = (namespace: string): string => `/apis/app.example.com/v1alpha1/namespaces/${namespace}/podsets`;
const runners = (namespace: string): string => `/apis/demo.example.com/v1alpha1/namespaces/${namespace}/runners`;

const createPodSet = async (namespace: string, replicas: number, name = 'web'): Promise<void> => {
  const body = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', metadata: { name }, spec: { replicas } };
  await plane.request('POST', podSets(namespace), body);
};

const createRunner = async (namespace: string, name: string): Promise<number> => {
  const body = { apiVersion: 'demo.example.com/v1alpha1', kind: 'Runner', metadata: { name } };
  return (await plane.request('POST', runners(namespace), { ...body, spec: { image: 'busybox', args: [] } })).status;
};

/** Writes the phase that a kubelet reports. */
const phaseOf = async (namespace: string, name: string, phase: string): Promise<void> => {
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/status`;
  const ready = { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' };
  const { status } = await plane.request('PATCH', path, { status: { phase, conditions: [ready] } }, merge);
  expect(status).toBe(200);
};

const isReported = async (path: string, replicas?: number): Promise<boolean> => {
  const { metadata, status } = (await plane.request<Body>('GET', path)).body;
  return status?.observedGeneration === metadata?.generation && status?.replicas === replicas;
};

const scaled = async (namespace: string, replicas: number): Promise<void> => {
  await plane.request('PATCH', `${podSets(namespace)}/web`, { spec: { replicas } }, merge);
  await waitFor(`${replicas} pods in ${namespace}`, () => isReported(`${podSets(namespace)}/web`, replicas));
};

/** Adds the same schema under another version, and serves the version of the operator or not. */
const serve = async (isServed: boolean): Promise<void> => {
  type Crd = { spec: { versions: { name: string; served: boolean; storage: boolean }[] } };
  const [ours] = (await plane.request<Crd>('GET', runnersCrd)).body.spec.versions;
  const versions = [
    { ...ours, served: isServed },
    { ...ours, name: 'v1beta1', served: true, storage: false },
  ];
  const { status } = await plane.request('PATCH', runnersCrd, { spec: { versions } }, merge);
  expect(status).toBe(200);
};

describe('an operator of several kinds', () => {
  it('goes on with its other kinds when the version of one is no longer served, and with that one when it is again', async () => {
    const namespace = await plane.createNamespace('version');
    await createPodSet(namespace, 2);
    await scaled(namespace, 3);
    expect(await createRunner(namespace, 'before')).toBe(201);
    await waitFor('the runner to be looked at', () => isReported(`${runners(namespace)}/before`));
    const { podName } = (await plane.request<Body>('GET', `${runners(namespace)}/before`)).body.status ?? {};
    await serve(false);
    await waitFor('the response 404 to the operator', async () =>
      (await plane.auditEntries({ user: USER })).some(({ resource, code }) => resource === 'runners' && code === 404),
    );
    // A pod of the runner changes, so the operator must write the status. The API server answers 404 although the runner
    // exists.
    await phaseOf(namespace, podName ?? '', 'Running');
    await waitFor('the status to be refused', async () =>
      (await plane.auditEntries({ user: USER })).some(
        ({ resource, verb, code }) => resource === 'runners' && verb === 'patch' && code === 404,
      ),
    );
    await scaled(namespace, 5);
    await serve(true);
    await waitFor('the version to be served', async () => (await createRunner(namespace, 'after')) === 201);
    await scaled(namespace, 1);
    await waitFor('the runner to be looked at', () => isReported(`${runners(namespace)}/after`), { timeoutMs: 90_000 });
    await plane.request('PATCH', `${runners(namespace)}/before`, { spec: { image: 'busybox:2' } }, merge);
    await waitFor('the edit of the other runner to be answered', () => isReported(`${runners(namespace)}/before`));
    expect(await isReported(`${podSets(namespace)}/web`, 1)).toBe(true);
  });

  it('starts with its other kinds when the version of one is not served, and takes that one up when it is', async () => {
    const namespace = await plane.createNamespace('start');
    ending.abort();
    await running;
    await serve(false);
    const isGone = async (): Promise<boolean> => (await plane.request('GET', runners(namespace))).status === 404;
    await waitFor('the version not to be served', isGone);
    start();
    await createPodSet(namespace, 2);
    await waitFor('2 pods', () => isReported(`${podSets(namespace)}/web`, 2));
    await serve(true);
    await waitFor('the version to be served', async () => (await createRunner(namespace, 'late')) === 201);
    await waitFor('the runner to be looked at', () => isReported(`${runners(namespace)}/late`), { timeoutMs: 90_000 });
    expect(await isReported(`${podSets(namespace)}/web`, 2)).toBe(true);
  });

  it('goes on in other namespaces when one is stuck in its deletion, and does not hammer that one', async () => {
    const stuck = await plane.createNamespace('stuck');
    const well = await plane.createNamespace('well');
    for (const namespace of [stuck, well]) {
      await createPodSet(namespace, 3);
      await scaled(namespace, 4);
    }
    // A foreign finalizer keeps the PodSet, and so the namespace.
    const held = { metadata: { finalizers: ['example.com/hold'] } };
    await plane.request('PATCH', `${podSets(stuck)}/web`, held, merge);
    const since = new Date();
    await plane.request('DELETE', `/api/v1/namespaces/${stuck}`);
    await waitFor('the pods of the namespace to go', async () => {
      const { body } = await plane.request<{ items: unknown[] }>('GET', `/api/v1/namespaces/${stuck}/pods`);
      return body.items.length === 0;
    });
    for (const replicas of [6, 2, 5]) await scaled(well, replicas);
    const sent = (await plane.auditEntries({ user: USER, since })).filter(({ namespace }) => namespace === stuck);
    // With back-off the number of requests grows with the logarithm of the time; without back-off there are hundreds.
    expect(sent.length).toBeLessThanOrEqual(40);
    await plane.request('PATCH', `${podSets(stuck)}/web`, { metadata: { finalizers: [] } }, merge);
    await waitFor(
      'the namespace to be gone',
      async () => (await plane.request('GET', `/api/v1/namespaces/${stuck}`)).status === 404,
    );
    expect(await isReported(`${podSets(well)}/web`, 5)).toBe(true);
  });

  it('shows the first warning about a resource within 5 s, while it creates the pods of many others', async () => {
    const flood = await plane.createNamespace('flood');
    const poor = await plane.createNamespace('poor');
    const quota = `/api/v1/namespaces/${poor}/resourcequotas`;
    await plane.request('POST', quota, { metadata: { name: 'none' }, spec: { hard: { pods: '0' } } });
    await waitFor('the quota to be counted', async () => {
      const { body } = await plane.request<{ status?: { hard?: object } }>('GET', `${quota}/none`);
      return body.status?.hard !== undefined;
    });
    const instants = async (namespace: string, resource: string, code: number): Promise<readonly number[]> =>
      (await plane.auditEntries({ user: USER, namespace }))
        .filter((entry) => entry.verb === 'create' && entry.resource === resource && entry.code === code)
        .map(({ requestReceivedTimestamp }) => Date.parse(requestReceivedTimestamp));
    const many = Array.from({ length: FLOODED }, async (_, index) => createPodSet(flood, 5, `web-${index}`));
    await waitFor('the flood', async () => (await instants(flood, 'pods', 201)).length > 0);
    await createPodSet(poor, 1);
    await waitFor('the event', async () => (await instants(poor, 'events', 201)).length > 0);
    await Promise.all(many);
    await waitFor('all pods', async () => (await instants(flood, 'pods', 201)).length === 5 * FLOODED);
    const [refusedAt = 0] = await instants(poor, 'pods', 403);
    const [reportedAt = 0] = await instants(poor, 'events', 201);
    expect(reportedAt - refusedAt).toBeLessThan(5000);
    expect(Math.max(...(await instants(flood, 'pods', 201)))).toBeGreaterThan(reportedAt);
  });
});
