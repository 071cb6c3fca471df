import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { App, Chart, Yaml } from 'cdk8s';
import { CustomResource, Operator } from 'cdk8s-reconcile/constructs';
import { run } from 'cdk8s-reconcile/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { portal } from '#test/examples/authors/portal.ts';
import { watchdog } from '#test/examples/authors/watchdog.ts';
import { runner } from '#test/examples/runner.ts';

class Runner extends CustomResource(runner) {}
class Portal extends CustomResource(portal) {}
class Watchdog extends CustomResource(watchdog) {}

const kinds = [runner, portal, watchdog];

const OPERATOR = 'runner-operator';
const USER = `system:serviceaccount:${OPERATOR}:${OPERATOR}`;

let plane: ControlPlane;
const ending = new AbortController();
let running: Promise<void>;

/** The requests of a watchdog, recorded by a server that answers 200. */
const asked: string[] = [];
const outside = createServer((request, response) => {
  asked.push(`${request.method} ${request.headers['idempotency-key']?.toString().split('/').slice(1).join('/')}`);
  response.end();
});

/** The manifests of a chart, as `cdk8s synth` writes them. */
const manifests = (fill: (chart: Chart) => void, namespace?: string): string => {
  const chart = new Chart(new App(), 'chart', namespace === undefined ? {} : { namespace });
  fill(chart);
  return Yaml.stringify(...(chart.toJson() as object[]));
};

const apply = async (input: string): Promise<void> => {
  const { code, stderr } = await plane.kubectl(['apply', '-f', '-'], { input });
  expect(`${code} ${stderr}`).toBe('0 ');
};

// The kind belongs to a user's package: it imports only the public doors.
beforeAll(async () => {
  await new Promise<void>((resolve) => {
    outside.listen(0, '127.0.0.1', resolve);
  });
  const host = `127.0.0.1:${(outside.address() as AddressInfo).port}`;
  const effects = { allowedHosts: [host] };
  plane = await startControlPlane();
  await apply(
    manifests(
      (chart) => new Operator(chart, 'operator', { kinds, effects, image: 'runner:1', name: OPERATOR }),
      'elsewhere',
    ),
  );
  await plane.kubectl(['wait', '--for=condition=Established', '--timeout=180s', 'crd', '--all']);
  const env = {
    KUBECONFIG: await plane.serviceAccountKubeconfig(OPERATOR, OPERATOR),
    POD_NAMESPACE: OPERATOR,
    LEASE_NAME: OPERATOR,
    HEALTH_PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'silent',
  };
  running = run({ kinds, effects, env, signal: ending.signal });
});

afterAll(async () => {
  ending.abort();
  await running;
  await plane?.stop();
  outside.close();
});

describe('a kind of a user', () => {
  it('owns children of any kind, as docs/authors.md says, and writes none of them twice', async () => {
    const namespace = await plane.createNamespace('portal');
    const kubectl = async (...args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await plane.kubectl(['-n', namespace, ...args]);
      expect(`${code} ${stderr}`).toBe('0 ');
      return stdout.trim();
    };
    await kubectl('create', 'configmap', 'shop', '--from-literal=color=blue');
    const spec = { host: 'shop.example.com', image: 'shop:2', settingsName: 'shop' };
    await apply(manifests((chart) => new Portal(chart, 'shop', { metadata: { name: 'shop' }, spec }), namespace));
    const pods = async (): Promise<string> =>
      kubectl('get', 'pods', '-l', 'batch.kubernetes.io/job-name', '-o', 'name');
    await waitFor('the pod of the Job', async () => (await pods()) !== '');
    await kubectl(
      'patch',
      await pods(),
      '--subresource=status',
      '--type=merge',
      '-p',
      '{"status":{"phase":"Succeeded"}}',
    );
    await kubectl('wait', '--for=condition=Ready', '--timeout=180s', 'portal/shop', 'runner/shop');
    expect(await kubectl('get', 'secret,service,ingress,persistentvolumeclaim', 'shop', '-o', 'name')).toBe(
      'secret/shop\nservice/shop\ningress.networking.k8s.io/shop\npersistentvolumeclaim/shop',
    );
    const children = new Set(['secrets', 'services', 'ingresses', 'jobs', 'persistentvolumeclaims', 'runners']);
    const writes = (await plane.auditEntries({ user: USER }))
      .filter(({ verb, ...entry }) => verb !== 'get' && entry.namespace === namespace && entry.subresource === '')
      .filter(({ resource }) => children.has(resource))
      .map(({ verb, resource }) => `${verb} ${resource}`);
    expect(writes.toSorted()).toEqual([
      'create jobs',
      'patch ingresses',
      'patch persistentvolumeclaims',
      'patch runners',
      'patch secrets',
      'patch services',
    ]);
  });

  it('asks the world outside, as docs/function.md says, and says goodbye', async () => {
    const namespace = await plane.createNamespace('watchdog');
    const { port } = outside.address() as AddressInfo;
    const props = { metadata: { name: 'it' }, spec: { url: `http://127.0.0.1:${port}/`, everySeconds: 3600 } };
    await apply(manifests((chart) => new Watchdog(chart, 'it', props), namespace));
    const args = ['--for=condition=Ready', '--timeout=180s', 'watchdog/it'];
    expect((await plane.kubectl(['-n', namespace, 'wait', ...args])).code).toBe(0);
    expect((await plane.kubectl(['-n', namespace, 'delete', 'watchdog', 'it', '--timeout=180s'])).code).toBe(0);
    expect(asked).toEqual(['GET call/1', 'POST goodbye']);
  });

  it('goes from its definition to a running pod, under its own rights', async () => {
    const namespace = await plane.createNamespace('own-kind');
    const props = { metadata: { name: 'hello' }, spec: { image: 'busybox', args: ['sleep', '60'] } };
    await apply(manifests((chart) => new Runner(chart, 'hello', props), namespace));
    const path = `/apis/demo.example.com/v1alpha1/namespaces/${namespace}/runners/hello`;
    type Body = { status?: { conditions: { type: string; status: string }[] } };
    const ready = async (): Promise<boolean> => {
      const { status } = (await plane.request<Body>('GET', path)).body;
      return status?.conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
    };
    await waitFor('the runner to be ready', ready);
    const pods = await plane.kubectl([
      '-n',
      namespace,
      'get',
      'pods',
      '-o',
      'jsonpath={.items[*].spec.containers[0].args}',
    ]);
    expect(pods.stdout).toBe('["sleep","60"]');
    const forbidden = (await plane.auditEntries({ user: USER })).filter(({ code }) => code === 403);
    expect(forbidden).toEqual([]);
  });

  it('installs cluster-scoped objects without the namespace of the chart', async () => {
    const yaml = manifests((chart) => new Operator(chart, 'op', { kinds: [runner], image: 'runner:1' }), 'elsewhere');
    expect(yaml).not.toContain('namespace: elsewhere');
  });
});
