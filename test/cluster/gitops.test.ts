import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { apply, ConfigMap, defineKind, ready, s } from '#lib/index.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import type { KindShape } from '#lib/kind/shape.ts';
import { between } from '#lib/kind/versions/between.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle, OPERATOR_USER, startInstalledOperator } from '#test/control-plane/install.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { kstatusOf } from './kstatus.ts';
import { applyObjects } from './own-operator.ts';

/** A kind of an author, with a rule over its status. */
const greeting = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Greeting',
  description: 'Greeting keeps a ConfigMap.',
  spec: s.object({ text: s.string({ maxLength: 100, description: 'The greeting.' }) }),
  status: s.object(
    { said: s.int32({ minimum: 0, maximum: 9, description: 'How often it was said.' }) },
    { validations: [{ rule: '!has(self.said) || self.said < 9', message: 'must be less than 9' }] },
  ),
  owns: [ConfigMap],
  desired: ({ resource }) => ({
    children: [
      apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: resource.metadata.name }, data: { text: '' } }),
    ],
    status: { said: 1 },
    state: ready('Said', 'it was said'),
  }),
});

const status = s.object({ read: s.boolean({ description: 'Whether it was read.' }) });
const v1 = { version: 'v1', spec: s.object({ text: s.string({ maxLength: 100, description: 'The text.' }) }), status };
const v2 = { version: 'v2', spec: s.object({ body: s.string({ maxLength: 100, description: 'The text.' }) }), status };
const letter = { group: 'demo.example.com', kind: 'Letter', ...v1 };
const letterV2 = { group: 'demo.example.com', kind: 'Letter', ...v2 };

/** The release that adds v2, with one of the two as the version of the definition. */
const release = (hub: typeof letter | typeof letterV2): KindShape => ({
  ...hub,
  versions: [
    between(v1, v2, {
      up: ({ spec, status: said }) => ({ spec: { body: spec.text }, status: said }),
      down: ({ spec, status: said }) => ({ spec: { text: spec.body }, status: said }),
    }),
  ],
});

/** A Service that does not exist, as before the new operator runs. */
const NOWHERE = { name: 'nowhere', namespace: 'default', port: 443 };
const LETTERS = '/apis/demo.example.com/v1/namespaces/default/letters';

interface Read {
  readonly metadata: { readonly name: string; readonly generation: number };
  readonly spec: { readonly steps?: readonly object[] };
  readonly status?: { readonly observedGeneration?: number; readonly conditions?: readonly object[] };
}

const RESOURCES = 'podset,immortalcontainer,canaryrollout,appservice,deployer';
const samples = fileURLToPath(new URL('../../synth-out/samples.k8s.yaml', import.meta.url));
const GREETINGS = '/apis/demo.example.com/v1/namespaces/default/greetings';
const MERGE = { contentType: 'application/merge-patch+json' };

let plane: ControlPlane;

const read = async (path: string): Promise<Read> => (await plane.request<Read>('GET', path)).body;

const kubectl = async (...args: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await plane.kubectl(args);
  expect(`${code} ${stderr}`).toBe('0 ');
  return stdout;
};

/** The CRD of Greeting as it was before statuses had a default. */
const earlier = (): object => {
  const text = JSON.stringify(compileCrd(greeting), (key, value: unknown) => (key === 'default' ? undefined : value));
  return JSON.parse(text.replaceAll('"minimum":-1', '"minimum":0')) as object;
};

const stepsOf = (objects: readonly Read[]) =>
  objects.flatMap(({ metadata: { name }, spec: { steps } }) => (steps === undefined ? [] : [{ name, steps }]));

const hello = (name: string) => ({
  apiVersion: 'demo.example.com/v1',
  kind: 'Greeting',
  metadata: { name, namespace: 'default' },
  spec: { text: 'hello' },
});

const define = async (crd: object): Promise<void> => {
  await applyObjects(plane, crd);
  await kubectl('wait', '--for=condition=Established', '--timeout=180s', 'crd/greetings.demo.example.com');
};

const setStatus = (name: string, status: object) =>
  plane.request('PATCH', `${GREETINGS}/${name}/status`, { status }, MERGE);

const readyAt = (observedGeneration: number) => ({
  observedGeneration,
  conditions: [
    {
      type: 'Ready',
      status: 'True',
      reason: 'Said',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    },
  ],
});

beforeAll(async () => {
  plane = await startControlPlane();
  await installBundle(plane);
});

afterAll(async () => {
  await plane?.stop();
});

const podSetManifest = (name: string, spec: object) =>
  JSON.stringify({
    apiVersion: 'app.example.com/v1alpha1',
    kind: 'PodSet',
    metadata: { name, namespace: 'default' },
    spec,
  });

const applyAs = async (manager: string, input: string): Promise<void> => {
  const args = ['apply', '--server-side', '--force-conflicts', `--field-manager=${manager}`, '-f', '-'];
  expect(await plane.kubectl(args, { input })).toMatchObject({ code: 0 });
};

describe('the bundle in a GitOps repository', () => {
  it('is in progress for kstatus in every resource until the operator has looked at it, and current afterwards', async () => {
    await kubectl('apply', '--server-side', '-f', samples);
    const list = async (): Promise<readonly Read[]> =>
      (JSON.parse(await kubectl('get', RESOURCES, '-n', 'default', '-o', 'json')) as { items: Read[] }).items;
    const before = await list();
    expect(before.map(kstatusOf)).toEqual(Array.from({ length: 5 }, () => 'InProgress'));
    const documents = parseAllDocuments(await readFile(samples, 'utf8')).map((each) => each.toJS() as Read);
    expect(documents.map(({ metadata }) => metadata.name).toSorted()).toEqual(
      before.map(({ metadata }) => metadata.name).toSorted(),
    );
    // Atomic lists are compared as a whole, also by Argo CD with server-side apply.
    expect(stepsOf(before)).toHaveLength(2);
    expect(stepsOf(before)).toEqual(expect.arrayContaining(stepsOf(documents)));
    await using operator = await startInstalledOperator(plane);
    expect(operator).toBeDefined();
    // All pods together take minutes to start. A first version has no steps, so every rollout completes.
    await waitFor('all samples to be current', async () =>
      (await list()).every((each) => kstatusOf(each) === 'Current'),
    );
    expect((await list()).map(({ status, metadata }) => status?.observedGeneration === metadata.generation)).toEqual(
      Array.from({ length: 5 }, () => true),
    );
    // The samples are applied once more, as a tool does at every interval: nothing changes.
    const versions = async () =>
      (await list()).map(({ metadata }) => Reflect.get(metadata, 'resourceVersion') as unknown);
    const resting = await versions();
    await kubectl('apply', '--server-side', '-f', samples);
    expect(await versions()).toEqual(resting);
    const entries = await plane.auditEntries({ user: OPERATOR_USER });
    const statuses = entries.filter(({ subresource, resource }) => subresource === 'status' && resource === 'podsets');
    // One write while pods are not ready, and one when all are. The default status costs no write.
    expect(statuses.length).toBeLessThanOrEqual(3);
  });

  it('keeps ready objects ready when the definition gets the default, and shows those without a status as in progress', async () => {
    await define(earlier());
    await applyObjects(plane, hello('ready'), hello('bare'), hello('foreign'));
    await setStatus('ready', { ...readyAt(1), said: 1 });
    // A status of another controller, without a generation.
    await setStatus('foreign', { conditions: readyAt(1).conditions });
    expect(kstatusOf(await read(`${GREETINGS}/bare`))).toBe('Current');
    await define(compileCrd(greeting));
    await waitFor('the default to be served', async () => (await read(`${GREETINGS}/bare`)).status !== undefined);
    const states = await Promise.all(['ready', 'bare', 'foreign'].map((name) => read(`${GREETINGS}/${name}`)));
    expect(states.map(kstatusOf)).toEqual(['Current', 'InProgress', 'Current']);
    expect(states[0]?.status).toEqual({ ...readyAt(1), said: 1 });
    // An edit before the operator acts stores the default that was read; the operator's status replaces it.
    await plane.request('PATCH', `${GREETINGS}/bare`, { spec: { text: 'again' } }, MERGE);
    expect(kstatusOf(await read(`${GREETINGS}/bare`))).toBe('InProgress');
  });

  it('keeps the old version in use while a new one with functions is served and no server answers the webhook, and not when it is stored', async () => {
    await applyObjects(plane, compileCrd(letter));
    await kubectl('wait', '--for=condition=Established', '--timeout=180s', 'crd/letters.demo.example.com');
    const old = { apiVersion: 'demo.example.com/v1', kind: 'Letter', metadata: { name: 'a', namespace: 'default' } };
    const written = { ...old, spec: { text: 'hello' } };
    await applyObjects(plane, written);
    const dryRun = () =>
      plane.kubectl(['apply', '--server-side', '--dry-run=server', '--force-conflicts', '-f', '-'], {
        input: JSON.stringify(written),
      });
    // v2 is served: the requests that Flux sends before it applies the Deployment succeed, and the old operator keeps working.
    await applyObjects(plane, compileCrd(release(letter), { conversion: NOWHERE }));
    await waitFor('the new version to be served', async () =>
      (await kubectl('get', '--raw', '/apis/demo.example.com')).includes('v2'),
    );
    expect(await dryRun()).toMatchObject({ code: 0 });
    await plane.request('PATCH', `${LETTERS}/a/status`, { status: readyAt(1) }, MERGE);
    expect(kstatusOf(await read(`${LETTERS}/a`))).toBe('Current');
    // v2 is stored: the dry run fails, so a single Kustomization never applies the Deployment.
    await applyObjects(plane, compileCrd(release(letterV2), { conversion: NOWHERE }));
    await waitFor('writes in the old version to fail', async () => (await dryRun()).code !== 0);
    expect((await dryRun()).stderr).toContain('conversion webhook');
  });

  it('keeps the number of an autoscaler when replicas leave Git if the autoscaler wrote last or the number was handed over, and not otherwise', async () => {
    const names = ['silent', 'scaled', 'handed-over'] as const;
    for (const name of names) await applyAs('kustomize-controller', podSetManifest(name, { replicas: 3 }));
    await kubectl('-n', 'default', 'scale', 'podset/scaled', '--replicas=5');
    await applyAs('handover', podSetManifest('handed-over', { replicas: 3 }));
    for (const name of names) await applyAs('kustomize-controller', podSetManifest(name, {}));
    const left = await Promise.all(
      names.map((name) =>
        kubectl('-n', 'default', 'get', 'podset', name, '-o', 'jsonpath={.metadata.name} {.spec.replicas}'),
      ),
    );
    expect(left).toEqual(['silent 1', 'scaled 5', 'handed-over 3']);
  });

  it('goes back to a definition without the default: what was stored with it can be edited and reported', async () => {
    await define(earlier());
    await waitFor('the default to go', async () => {
      const { body } = await plane.request<Read>('POST', `${GREETINGS}?dryRun=All`, hello('probe'));
      return body.status === undefined;
    });
    const edited = await plane.request<Read>('PATCH', `${GREETINGS}/bare`, { spec: { text: 'back' } }, MERGE);
    expect(edited.body.metadata.generation).toBe(3);
    await setStatus('bare', { ...readyAt(3), said: 1 });
    expect(kstatusOf(await read(`${GREETINGS}/bare`))).toBe('Current');
  });
});
