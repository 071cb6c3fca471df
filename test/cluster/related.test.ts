import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiVersionOf } from '#lib/kind/names.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { bookConfigMap, librarian } from '#test/unit/support/librarian-kind.ts';
import { strangersPod } from '#test/unit/support/shelf-kind.ts';
import { LENS_PLACES, lens } from './lens-kind.ts';
import { applyObjects, type OwnOperator, runOwnOperator, startOwnOperator, statusWith } from './own-operator.ts';

const TENANT = 'tenant';
const RBAC = 'rbac.authorization.k8s.io';

let plane: ControlPlane;
let operator: OwnOperator;
let namespace: string;
let path: string;

const spec = { wants: 'guide', tier: 'x', shelf: 's' };

beforeAll(async () => {
  plane = await startControlPlane({ users: [{ name: TENANT }] });
  operator = await startOwnOperator(plane, [librarian]);
  namespace = await plane.createNamespace('library');
  path = `/apis/demo.example.com/v1/namespaces/${namespace}/librarians/ada`;
  const metadata = { name: 'ada', namespace };
  await applyObjects(plane, { apiVersion: apiVersionOf(librarian), kind: 'Librarian', metadata, spec });
  await statusWith(plane, path, { wanted: 'missing', listed: '', orphans: '' });
});

afterAll(async () => {
  await operator?.stop();
  await plane?.stop();
});

describe('look-ups on a real API server', () => {
  it('wake the resource when what was looked up appears, changes and vanishes', async () => {
    await applyObjects(plane, bookConfigMap('guide', { namespace }));
    expect(await statusWith(plane, path, { wanted: 'guide' })).toMatchObject({ wanted: 'guide' });
    await applyObjects(plane, bookConfigMap('guide', { namespace, text: 'second edition' }));
    expect(await statusWith(plane, path, { wanted: 'second edition' })).toMatchObject({ wanted: 'second edition' });
    await plane.request('DELETE', `/api/v1/namespaces/${namespace}/configmaps/guide`);
    expect(await statusWith(plane, path, { wanted: 'missing' })).toMatchObject({ wanted: 'missing' });
  });

  it('wake the resource when the members of a list change', async () => {
    await applyObjects(plane, bookConfigMap('one', { namespace, labels: { tier: 'x' } }));
    expect(await statusWith(plane, path, { listed: 'one' })).toMatchObject({ listed: 'one' });
    await applyObjects(plane, bookConfigMap('one', { namespace, labels: { tier: 'y' } }));
    expect(await statusWith(plane, path, { listed: '' })).toMatchObject({ listed: '' });
  });

  it('wake the resource when an orphan appears and when it changes its labels', async () => {
    await applyObjects(plane, strangersPod('stray', { namespace, labels: { shelf: 's' } }));
    expect(await statusWith(plane, path, { orphans: 'stray' })).toMatchObject({ orphans: 'stray' });
    await applyObjects(plane, strangersPod('stray', { namespace, labels: { shelf: 't' } }));
    expect(await statusWith(plane, path, { orphans: '' })).toMatchObject({ orphans: '' });
  });

  it('need no right that the bundle does not grant', async () => {
    expect(await operator.forbidden()).toEqual([]);
  });
});

const lensAt = (name: string): string => `/apis/demo.example.com/v1/namespaces/${namespace}/lenses/${name}`;

const configOf = (place: string, text: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'config', namespace: place },
  data: { text },
});

/** Runs kubectl as the tenant, which has all rights in its own namespace, and no others. */
const asTenant = async (args: readonly string[], object?: object) =>
  plane.kubectl([...args, '-n', namespace, `--kubeconfig=${plane.kubeconfigFor(TENANT)}`], {
    ...(object && { input: JSON.stringify(object) }),
  });

const reasonOf = async (name: string): Promise<string | undefined> => {
  const { body } = await plane.request<{ status?: { conditions?: { type: string; reason: string }[] } }>(
    'GET',
    lensAt(name),
  );
  return body.status?.conditions?.find(({ type }) => type === 'Stalled')?.reason;
};

const untilReason = async (name: string, reason: string): Promise<void> =>
  waitFor(`${name} to report ${reason}`, async () => (await reasonOf(name)) === reason);

const look = async (name: string, config: string): Promise<void> => {
  const object = { apiVersion: 'demo.example.com/v1', kind: 'Lens', metadata: { name }, spec: { config } };
  expect((await asTenant(['create', '-f', '-'], object)).code).toBe(0);
};

describe('look-ups elsewhere on a real API server', () => {
  const OPERATOR = 'lens-operator';
  let lenses: OwnOperator;

  beforeAll(async () => {
    for (const name of [...LENS_PLACES, 'hidden']) {
      await plane.request('POST', '/api/v1/namespaces', { metadata: { name } });
      await applyObjects(plane, configOf(name, `text of ${name}`));
    }
    const path = `/apis/${RBAC}/v1/namespaces/${namespace}`;
    const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
    await plane.request('POST', `${path}/roles`, { metadata: { name: TENANT }, rules });
    await plane.request('POST', `${path}/rolebindings`, {
      metadata: { name: TENANT },
      roleRef: { apiGroup: RBAC, kind: 'Role', name: TENANT },
      subjects: [{ apiGroup: RBAC, kind: 'User', name: TENANT }],
    });
    lenses = await startOwnOperator(plane, [lens], { name: OPERATOR });
  });

  afterAll(async () => lenses?.stop());

  it('find an object of a named namespace, and wake the resource when the object changes', async () => {
    await look('theme', 'themes/config');
    expect(await statusWith(plane, lensAt('theme'), { text: 'text of themes' })).toMatchObject({
      text: 'text of themes',
    });
    await applyObjects(plane, configOf('themes', 'dark'));
    expect(await statusWith(plane, lensAt('theme'), { text: 'dark' })).toMatchObject({ text: 'dark' });
  });

  it.each([
    { name: 'other', config: 'hidden/config' },
    { name: 'system', config: 'kube-system/extension-apiserver-authentication' },
    { name: 'home', config: 'config' },
    { name: 'path', config: 'themes/../../hidden/configmaps/config' },
  ])('show a tenant nothing of a place that the definition does not allow: $config', async ({ name, config }) => {
    await look(name, config);
    if (name === 'path') await statusWith(plane, lensAt(name), { text: 'missing' });
    else await untilReason(name, 'UndeclaredRead');
    const { stdout } = await asTenant(['get', 'lens,events', '-o', 'json']);
    expect(stdout).toContain(`"${config}"`);
    expect(stdout).not.toContain('text of hidden');
    expect(stdout).not.toContain('BEGIN CERTIFICATE');
  });

  it('send requests only to the named namespaces, and need no right that the bundle does not grant', async () => {
    const entries = await plane.auditEntries({ user: `system:serviceaccount:${OPERATOR}:${OPERATOR}` });
    const looks = entries.filter(({ resource }) => resource === 'configmaps');
    expect(new Set(looks.map((entry) => entry.namespace))).toEqual(new Set(LENS_PLACES));
    expect(looks.filter(({ verb }) => verb !== 'list' && verb !== 'watch')).toEqual([]);
    expect(await lenses.forbidden()).toEqual([]);
    const account = `--as=system:serviceaccount:${OPERATOR}:${OPERATOR}`;
    const answers = [
      ['list', 'themes'],
      ['get', 'themes'],
      ['list', 'hidden'],
    ].map(async ([verb = '', place = '']) =>
      (await plane.kubectl(['auth', 'can-i', verb, 'configmaps', '-n', place, account])).stdout.trim(),
    );
    expect(await Promise.all(answers)).toEqual(['yes', 'no', 'no']);
  });

  it('in a namespace without rights, stall the resource that looks there and no other, until the rights come', async () => {
    await lenses.stop();
    const binding = `/apis/${RBAC}/v1/namespaces/platform/rolebindings/${OPERATOR}-elsewhere`;
    const { metadata, roleRef, subjects } = (await plane.request<Record<string, object>>('GET', binding)).body;
    await plane.request('DELETE', binding);
    await look('dark', 'platform/config');
    // The answer of this look-up is no object, so no event of a watch shows that it can be answered.
    await look('blank', 'platform/none');
    lenses = await runOwnOperator(plane, [lens], { name: OPERATOR });
    for (const name of ['dark', 'blank']) await untilReason(name, 'UnobservedRead');
    await applyObjects(plane, configOf('themes', 'light'));
    expect(await statusWith(plane, lensAt('theme'), { text: 'light' })).toMatchObject({ text: 'light' });
    const { name, namespace: place } = metadata as Record<string, string>;
    await applyObjects(plane, {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: { name, namespace: place },
      roleRef,
      subjects,
    });
    expect(await statusWith(plane, lensAt('dark'), { text: 'text of platform' })).toMatchObject({
      text: 'text of platform',
    });
    expect(await statusWith(plane, lensAt('blank'), { text: 'missing' })).toMatchObject({ text: 'missing' });
  });
});
