import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Yaml } from 'cdk8s';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository } from '#test/architecture/repository.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { type OperatorProcess, spawnOperator } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { type Manifest, quietPort, withoutPodNetwork } from './conversion-service.ts';

// The files of docs/tutorial.md, run as its reader runs them; test/architecture/tutorial.test.ts compares them with the
// page.

const NAME = 'website-operator';

let plane: ControlPlane;
let scratch: string;
let kubeconfig: string;
let operator: OperatorProcess;

type Chapter = 'first' | 'served' | 'second';

const mains: Readonly<Record<Chapter, () => Promise<unknown>>> = {
  first: () => import('#test/examples/tutorial/first/main.ts'),
  served: () => import('#test/examples/tutorial/served/main.ts'),
  second: () => import('#test/examples/tutorial/second/main.ts'),
};

/** Returns the output of `node main.ts` of a chapter. */
const synthesize = async (chapter: Chapter): Promise<string> => {
  const folder = join(scratch, chapter);
  process.env['CDK8S_OUTDIR'] = folder;
  await mains[chapter]();
  delete process.env['CDK8S_OUTDIR'];
  return folder;
};

const kubectl = async (...args: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await plane.kubectl([...args]);
  expect(`${code} ${stderr}`).toBe('0 ');
  return stdout;
};

interface Body {
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly data?: unknown;
}

const websiteAt = async (version: string): Promise<Body> =>
  (await plane.request<Body>('GET', `/apis/web.example.com/${version}/namespaces/default/websites/hello`)).body;

const isServedInBoth = async (): Promise<boolean> => {
  const [old, next] = await Promise.all([websiteAt('v1alpha1'), websiteAt('v1beta1')]);
  return old.spec !== undefined && next.spec !== undefined;
};

const pages = async (): Promise<unknown> =>
  (await plane.request<Body>('GET', '/api/v1/namespaces/default/configmaps/hello')).body.data;

const run = (chapter: Chapter, env: Readonly<Record<string, string>> = {}): OperatorProcess =>
  spawnOperator({
    kubeconfig,
    entryPoint: join(repository, 'test/examples/tutorial', chapter, 'operator.ts'),
    env: { POD_NAMESPACE: NAME, LEASE_NAME: NAME, ...env },
  });

const applyBundle = async (folder: string, port: number): Promise<void> => {
  const bundle = Yaml.load(join(folder, 'operator.k8s.yaml')) as Manifest[];
  const input = Yaml.stringify(...withoutPodNetwork(bundle, { operator: NAME, port }));
  const { code, stderr } = await plane.kubectl(['apply', '--server-side', '-f', '-'], { input });
  expect(`${code} ${stderr}`).toBe('0 ');
};

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'tutorial-'));
  plane = await startControlPlane();
});

afterAll(async () => {
  await operator?.stop();
  await plane?.stop();
  await rm(scratch, { recursive: true, force: true });
});

describe('the tutorial', () => {
  it('leads from nothing to a website that is served, and to another page', async () => {
    const folder = await synthesize('first');
    await kubectl('apply', '--server-side', '-f', join(folder, 'operator.k8s.yaml'));
    await kubectl('wait', '--for=condition=Established', '--timeout=180s', 'crd/websites.web.example.com');
    kubeconfig = await plane.serviceAccountKubeconfig(NAME, NAME);
    operator = run('first');
    await kubectl('apply', '-f', join(folder, 'sites.k8s.yaml'));
    await kubectl('wait', '--for=condition=Ready', '--timeout=180s', 'website/hello');
    const { status } = await websiteAt('v1alpha1');
    expect(status).toMatchObject({ url: 'http://hello.default.svc', readyReplicas: 2, observedGeneration: 1 });
    expect(await kubectl('get', 'website', 'hello')).toMatch(/READY PODS +URL\nhello +2 +http:\/\/hello\.default\.svc/);
    expect(await kubectl('get', 'deployment,service,configmap', 'hello', '-o', 'name')).toBe(
      'deployment.apps/hello\nservice/hello\nconfigmap/hello\n',
    );
    await kubectl('patch', 'website', 'hello', '--type=merge', '-p', '{"spec":{"html":"<h1>Bye</h1>","replicas":3}}');
    await waitFor('three pods to serve the other page', async () => {
      const { status: now } = await websiteAt('v1alpha1');
      return JSON.stringify(now).includes('"3 of 3 pods are ready"');
    });
    expect(await pages()).toEqual({ 'index.html': '<h1>Bye</h1>' });
    expect(await operator.stop()).toBe(0);
    expect(operator.errors()).toBe('');
  });

  it('goes on to a second version without loss for clients of the first one', async () => {
    const port = await quietPort();
    const webhook = { CONVERSION_SERVICE: `${NAME}-conversion`, CONVERSION_PORT: String(port) };
    await applyBundle(await synthesize('served'), port);
    operator = run('served', webhook);
    await waitFor('the second version to be served', async () => (await websiteAt('v1beta1')).spec !== undefined);
    expect((await websiteAt('v1beta1')).spec).toEqual({ index: '<h1>Bye</h1>', pages: [], replicas: 3 });
    const folder = await synthesize('second');
    // The operator of the first release converts until the operator of the second release runs.
    await applyBundle(folder, port);
    await waitFor('the first operator to convert', isServedInBoth);
    expect(await operator.stop()).toBe(0);
    operator = run('second', webhook);
    await waitFor('the second operator to convert', isServedInBoth);
    expect((await websiteAt('v1alpha1')).spec).toEqual({ html: '<h1>Bye</h1>', replicas: 3 });
    await kubectl('apply', '-f', join(folder, 'sites.k8s.yaml'));
    const about = { 'about.html': '<h1>About</h1>' };
    await waitFor('the second page', async () => JSON.stringify(await pages()).includes('about.html'));
    expect(await pages()).toEqual({ ...about, 'index.html': '<h1>Hello</h1>' });
    const old = 'websites.v1alpha1.web.example.com';
    const patch = ['patch', old, 'hello', '--type=merge', '-p', '{"spec":{"html":"<h1>Again</h1>"}}'];
    const { code, stderr } = await plane.kubectl(patch);
    expect(`${code} ${stderr}`).toMatch(/^0 Warning: .*Website is deprecated; use v1beta1/);
    await waitFor('the page to change', async () => JSON.stringify(await pages()).includes('Again'));
    expect(await pages()).toEqual({ ...about, 'index.html': '<h1>Again</h1>' });
    const user = `system:serviceaccount:${NAME}:${NAME}`;
    expect((await plane.auditEntries({ user })).filter((entry) => entry.code === 403)).toEqual([]);
    expect(await operator.stop()).toBe(0);
  });
});
