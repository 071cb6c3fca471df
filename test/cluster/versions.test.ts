import { App, Chart, Testing } from 'cdk8s';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Operator } from '#constructs/operator/operator.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import { s } from '#lib/kind/schema/schema.ts';
import type { VersionShape } from '#lib/kind/shape.ts';
import { between } from '#lib/kind/versions/between.ts';
import { migrateStorage, run } from '#lib/runtime.ts';
import { faultsOf, grantedBy, type RightsManifest, usedIn } from '#test/contract/rights/rights.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { greeting, v1alpha1 } from '#test/examples/greeting.ts';
import { web } from '#test/examples/web.ts';
import { type Manifest, quietPort, withoutPodNetwork } from './conversion-service.ts';
import { describeConversionTenants } from './conversion-tenants.ts';
import { applyObjects } from './own-operator.ts';

const NAME = 'greeter';
const USER = `system:serviceaccount:${NAME}:${NAME}`;
const SERVICE = `${NAME}-conversion`;
const [OLD, NEW] = ['v1alpha1', 'v1beta1'];
const { versions: _, ...last } = greeting;
const kinds = [greeting, web];
/** The conversion webhook; the rest of the operator runs in this process. */
const entry = new URL('versions-operator.ts', import.meta.url);

interface Body {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

let plane: ControlPlane;
let namespace: string;
const ending = new AbortController();
let running: Promise<void> | undefined;

const at = (version: string, name = ''): string =>
  `/apis/demo.example.com/${version}/namespaces/${namespace}/greetings${name === '' ? '' : `/${name}`}`;
const get = async (version: string, name: string): Promise<Body> =>
  (await plane.request<Body>('GET', at(version, name))).body;
const isServed = async (version: string): Promise<boolean> => (await plane.request('GET', at(version))).status === 200;
const merge = { contentType: 'application/merge-patch+json' };

const create = async (name: string): Promise<void> => {
  const body = { apiVersion: `demo.example.com/${OLD}`, kind: 'Greeting', metadata: { name }, spec: { text: name } };
  expect((await plane.request('POST', at(OLD), body)).status).toBe(201);
};

const bundle = (port: number): object[] => {
  const chart = new Chart(new App(), 'chart');
  // oxlint-disable-next-line no-new -- a construct belongs to its chart
  new Operator(chart, 'operator', { kinds, image: 'greeter:1', name: NAME });
  return withoutPodNetwork(Testing.synth(chart) as Manifest[], { operator: NAME, port });
};

beforeAll(async () => {
  plane = await startControlPlane({ scheduler: false, kwok: false, users: [{ name: 'mallory' }] });
  namespace = await plane.createNamespace('greetings');
  const { group, kind } = greeting;
  await applyObjects(plane, compileCrd({ group, kind, ...v1alpha1 }));
  await waitFor('the first version to be served', async () => isServed(OLD));
  await Promise.all(['ann', 'bob', 'eve'].map(create));
  const port = await quietPort();
  await applyObjects(plane, ...bundle(port));
  const env = {
    KUBECONFIG: await plane.serviceAccountKubeconfig(NAME, NAME),
    POD_NAMESPACE: NAME,
    LEASE_NAME: NAME,
    CONVERSION_SERVICE: SERVICE,
    CONVERSION_PORT: String(port),
    HEALTH_PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'silent',
  };
  running = run({ kinds, env, entry, signal: ending.signal });
});

afterAll(async () => {
  ending.abort();
  await running;
  await plane?.stop();
});

const group = 'versions.example.com';
const text = s.string({ maxLength: 20 });
const status = s.object({ said: s.boolean() });
const version = (name: string, spec: VersionShape['spec']): VersionShape => ({ version: name, spec, status });

/** Paths of a resource in both versions. */
const pathsOf =
  (namespace: string, plural: string) =>
  (name: string): string =>
    `/apis/${group}/${name}/namespaces/${namespace}/${plural}`;

describe('versions with the same fields', () => {
  it('are written and read as each other, without a webhook', async () => {
    const older = {
      ...version('v1alpha1', s.object({ text, color: s.optional(s.enum(['Red'])) })),
      deprecated: 'use v1',
    };
    const newer = version('v1', s.object({ text, color: s.optional(s.enum(['Red', 'Blue'])) }));
    const crd = compileCrd({ group, kind: 'Plain', ...newer, versions: [between(older, newer)] });
    await applyObjects(plane, crd);
    await plane.kubectl(['wait', '--for=condition=Established', '--timeout=180s', 'crd', '--all']);
    const namespace = await plane.createNamespace('plain');
    const at = pathsOf(namespace, 'plains');
    const create = async (apiVersion: string, name: string, spec: object) =>
      plane.request('POST', at(apiVersion), {
        apiVersion: `${group}/${apiVersion}`,
        kind: 'Plain',
        metadata: { name },
        spec,
      });
    await waitFor('both versions to be served', async () =>
      (await Promise.all(['v1alpha1', 'v1'].map(async (each) => plane.request('GET', at(each))))).every(
        (answer) => answer.status === 200,
      ),
    );
    expect((await create('v1alpha1', 'a', { text: 'a', color: 'Red' })).status).toBe(201);
    expect((await create('v1', 'b', { text: 'b', color: 'Blue' })).status).toBe(201);
    const a = (await plane.request<Body>('GET', `${at('v1')}/a`)).body;
    expect([a.apiVersion, a.spec]).toEqual([`${group}/v1`, { text: 'a', color: 'Red' }]);
    const b = await plane.request<Body>('PATCH', `${at('v1alpha1')}/b`, { spec: { text: 'c' } }, merge);
    expect([b.status, b.body.spec]).toEqual([200, { text: 'c', color: 'Blue' }]);
    await waitFor('kubectl to warn of the deprecated version', async () =>
      (await plane.kubectl(['-n', namespace, 'get', `plains.v1alpha1.${group}`])).stderr.includes('use v1'),
    );
  });

  it('would lose what only one of them has, which the compiler refuses', async () => {
    const older = version('v1alpha1', s.object({ text }));
    const newer = version('v1', s.object({ text, size: s.optional(s.int32()) }));
    const shape = { group, kind: 'Lossy', ...newer };
    expect(() => compileCrd({ ...shape, versions: [between(older, newer)] })).toThrow('[version-conversion]');
    const [small, large] = [older, newer].map((each) => compileCrd({ ...shape, ...each }));
    const versions = [
      ...(small?.spec.versions ?? []).map((each) => ({ ...each, storage: false })),
      ...(large?.spec.versions ?? []),
    ];
    await applyObjects(plane, { ...large, spec: { ...large?.spec, versions } });
    await plane.kubectl(['wait', '--for=condition=Established', '--timeout=180s', 'crd', '--all']);
    const at = pathsOf(await plane.createNamespace('lossy'), 'lossies');
    await waitFor('both versions to be served', async () =>
      (await Promise.all(['v1alpha1', 'v1'].map(async (each) => plane.request('GET', at(each))))).every(
        (answer) => answer.status === 200,
      ),
    );
    await plane.request('POST', at('v1'), {
      apiVersion: `${group}/v1`,
      kind: 'Lossy',
      metadata: { name: 'a' },
      spec: { text: 'a', size: 7 },
    });
    await plane.request('PATCH', `${at('v1alpha1')}/a`, { spec: { text: 'b' } }, merge);
    expect((await plane.request<Body>('GET', `${at('v1')}/a`)).body.spec).toEqual({ text: 'b' });
  });
});

/** True for rights that name an object. */
const byName = (right: string): boolean => / (?:secrets|customresourcedefinitions)\./.test(right);

describeConversionTenants(() => plane);

describe('a kind in its second version, whose objects are stored in the first', () => {
  it('is converted by its operator, under its own rights', async () => {
    await waitFor('the operator to have seen all', async () =>
      (await Promise.all(['ann', 'bob', 'eve'].map(async (name) => get(NEW, name)))).every(
        ({ status }) => status?.['said'] === true,
      ),
    );
    await waitFor('the first version to be served again', async () => isServed(OLD));
    expect((await get(NEW, 'ann')).spec).toEqual({ message: { text: 'ann' }, repeat: 1, names: [] });
    expect((await get(OLD, 'ann')).spec).toEqual({ text: 'ann', times: 1 });
    const { stdout } = await plane.kubectl(['-n', namespace, 'get', 'configmap', 'ann', '-o', 'jsonpath={.data.text}']);
    expect(stdout).toBe('ann');
    const entries = await plane.auditEntries({ user: USER });
    expect(entries.filter(({ code }) => code === 403)).toEqual([]);
    const used = usedIn(entries, ({ resource }) => ({ name: true, namespace: resource === 'secrets' })).filter(byName);
    const granted = grantedBy(bundle(0) as RightsManifest[]).filter(byName);
    expect(granted).toHaveLength(7);
    expect(faultsOf(granted, used)).toEqual([]);
  });

  it('loses nothing when a client writes the first version', async () => {
    const names = [{ name: 'ann', title: 'Dr' }];
    const rich = { message: { text: 'hi', language: 'English' }, repeat: 2, names };
    expect((await plane.request('PATCH', at(NEW, 'bob'), { spec: rich }, merge)).status).toBe(200);
    expect((await plane.request('PATCH', at(OLD, 'bob'), { spec: { text: 'hello' } }, merge)).status).toBe(200);
    const after = { ...rich, message: { text: 'hello', language: 'English' } };
    expect((await get(NEW, 'bob')).spec).toEqual(after);
    const applied = {
      apiVersion: `demo.example.com/${OLD}`,
      kind: 'Greeting',
      metadata: { name: 'bob' },
      spec: { times: 3 },
    };
    const apply = { contentType: 'application/apply-patch+yaml' };
    const answer = await plane.request('PATCH', `${at(OLD, 'bob')}?fieldManager=argo&force=true`, applied, apply);
    expect(answer.status).toBe(200);
    const now = await get(NEW, 'bob');
    expect([now.spec, now.metadata.annotations]).toEqual([{ ...after, repeat: 3 }, undefined]);
    await waitFor('the operator to say it', async () => {
      const { stdout } = await plane.kubectl([
        '-n',
        namespace,
        'get',
        'configmap',
        'bob',
        '-o',
        'jsonpath={.data.text}',
      ]);
      return stdout === Array.from({ length: 3 }, () => 'Dr ann, hello').join(' ');
    });
  });

  it('is migrated, and the first version is dropped', async () => {
    const refused = await plane.kubectl(['replace', '-f', '-'], { input: JSON.stringify(compileCrd(last)) });
    expect(refused.stderr).toContain('storedVersions');
    const env = { KUBECONFIG: plane.kubeconfig, LOG_LEVEL: 'silent' };
    const [migrated] = await migrateStorage({ kinds: [greeting], env });
    expect(migrated).toMatchObject({ version: NEW, left: [OLD] });
    expect(await migrateStorage({ kinds: [greeting], env })).toEqual([]);
    await applyObjects(plane, compileCrd(last));
    await waitFor('the first version to be gone', async () => (await plane.request('GET', at(OLD))).status === 404);
    await waitFor('the second one to be served alone', async () => isServed(NEW));
    expect((await get(NEW, 'eve')).spec).toMatchObject({ message: { text: 'eve' } });
    expect((await plane.request('PATCH', at(NEW, 'eve'), { spec: { repeat: 2 } }, merge)).status).toBe(200);
    await waitFor('the operator to go on', async () => {
      const { stdout } = await plane.kubectl([
        '-n',
        namespace,
        'get',
        'configmap',
        'eve',
        '-o',
        'jsonpath={.data.text}',
      ]);
      return stdout === 'eve eve';
    });
  });
});
