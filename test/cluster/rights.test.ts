import { fileURLToPath } from 'node:url';
import { App, Chart, Testing, Yaml } from 'cdk8s';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Operator } from '#constructs/operator/operator.ts';
import { createKubeClient } from '#lib/kube/client/client.ts';
import { loadCredentials } from '#lib/kube/credentials/credentials.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import { createSources } from '#lib/loop/source/sources.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { faultsOf, grantedBy, type RightsManifest, usedIn } from '#test/contract/rights/rights.ts';
import type { AuditEntry } from '#test/control-plane/audit.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { type OperatorProcess, startOperator } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { gauge } from './rights-operator.ts';

const entryPoint = fileURLToPath(new URL('./rights-operator.ts', import.meta.url));

/** An operator and its namespaces: all, or some. */
interface Installed {
  readonly name: string;
  readonly manifests: readonly RightsManifest[];
  readonly operator: OperatorProcess;
}

let plane: ControlPlane;

beforeAll(async () => {
  const admissionPlugins = ['OwnerReferencesPermissionEnforcement'];
  plane = await startControlPlane({ scheduler: false, kwok: false, admissionPlugins });
});

afterAll(async () => {
  await plane?.stop();
});

const install = async (name: string, namespaces?: readonly string[]): Promise<Installed> => {
  const chart = new Chart(new App(), 'chart');
  new Operator(chart, 'operator', { kinds: [gauge], image: 'gauge:1', name, ...(namespaces && { namespaces }) });
  const manifests = Testing.synth(chart) as RightsManifest[];
  const { code, stderr } = await plane.kubectl(['apply', '-f', '-'], {
    input: Yaml.stringify(...(manifests as object[])),
  });
  expect(`${code} ${stderr}`).toBe('0 ');
  await plane.kubectl(['wait', '--for=condition=Established', '--timeout=180s', 'crd', '--all']);
  const kubeconfig = await plane.serviceAccountKubeconfig(name, name);
  const where = namespaces === undefined ? {} : { WATCH_NAMESPACE: namespaces.join(',') };
  const env = { POD_NAMESPACE: name, LEASE_NAME: name, ...where };
  return { name, manifests, operator: await startOperator({ kubeconfig, entryPoint, env }) };
};

/** The rights that an operator used. A right on a Lease includes its name. */
const used = async ({ name }: Installed, isLocal: boolean): Promise<string[]> => {
  const entries = await plane.auditEntries({ user: `system:serviceaccount:${name}:${name}` });
  expect(entries.filter(({ code }) => code === 403)).toEqual([]);
  return usedIn(entries, ({ resource }) => ({
    name: resource === 'leases',
    namespace: isLocal || resource === 'leases',
  }));
};

interface Body {
  readonly metadata: { readonly labels?: Record<string, string>; readonly resourceVersion: string };
  readonly status?: { readonly level?: number };
}

const ACCOUNTS = 'system:serviceaccount:';

const merge = { contentType: 'application/merge-patch+json' };

const RBAC = '/apis/rbac.authorization.k8s.io/v1/namespaces';
const FINALIZERS = 'gauges/finalizers';

/** Creates, as a dry run, a child that blocks the deletion of its owner. */
const childOf = async (namespace: string, user: string) => {
  const owner = { apiVersion: 'demo.example.com/v1', kind: 'Gauge', name: 'g', uid: 'a', blockOwnerDeletion: true };
  const body = { metadata: { name: 'proof', ownerReferences: [owner] } };
  const headers = { 'Impersonate-User': user };
  const path = `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`;
  return plane.request<{ message?: string }>('POST', path, body, { headers });
};

/**
 * No request updates `finalizers`: the admission plugin checks the right when children are created. A user with all
 * rights of the operator but this one proves it, and is refused.
 *
 * @returns the right, in the form of `grantedBy`
 */
const proveFinalizers = async (namespace: string, { name: operator, manifests }: Installed, isLocal: boolean) => {
  const name = `${operator}-without-finalizers`;
  const rules = manifests.flatMap((each) =>
    each.metadata.name === `${operator}-leader-election` ? [] : (each.rules ?? []),
  );
  const withoutIt = rules.map((rule) => ({
    ...rule,
    resources: rule.resources.filter((resource) => resource !== FINALIZERS),
  }));
  const role = async (method: string, path: string, some: readonly object[]) =>
    plane.request(method, `${RBAC}/${namespace}/roles${path}`, { metadata: { name }, rules: some });
  await role(
    'POST',
    '',
    withoutIt.filter(({ resources }) => resources.length > 0),
  );
  await plane.request('POST', `${RBAC}/${namespace}/rolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }],
  });
  await waitFor('the child to be refused for the right alone', async () => {
    const { status, body } = await childOf(namespace, name);
    return status === 403 && body.message?.includes("a resource you can't set finalizers on") === true;
  });
  await role('PUT', `/${name}`, rules);
  await waitFor('the child to be accepted', async () => (await childOf(namespace, name)).status === 201);
  return `update ${FINALIZERS}.demo.example.com * in ${isLocal ? namespace : '*'}`;
};

const isLookedUp = (entries: readonly AuditEntry[], resourceName: string): boolean =>
  entries.some(({ user, verb, resource }) => user.startsWith(ACCOUNTS) && verb === 'get' && resource === resourceName);

/** Creates foreign objects with the names of children, so that the loop reads these objects from the API server. */
const meetForeigners = async (namespace: string): Promise<void> => {
  const core = `/api/v1/namespaces/${namespace}`;
  const metadata = { name: 'held' };
  await plane.request('POST', `${core}/configmaps`, { metadata });
  await plane.request('POST', `${core}/pods`, { metadata, spec: { containers: [{ name: 'c', image: 'busybox' }] } });
  const gauges = `/apis/demo.example.com/v1/namespaces/${namespace}/gauges`;
  await plane.request('POST', gauges, {
    apiVersion: 'demo.example.com/v1',
    kind: 'Gauge',
    metadata,
    spec: { level: 1 },
  });
  // Other conflicts of this namespace may have been reported again before.
  await waitFor('names of others to be looked up, and another event about the conflict', async () => {
    const entries = await plane.auditEntries({ namespace });
    const isToldAgain = entries.some(
      (entry) => entry.verb === 'patch' && entry.resource === 'events' && entry.code === 200,
    );
    return isToldAgain && isLookedUp(entries, 'configmaps') && isLookedUp(entries, 'pods');
  });
  await plane.request('DELETE', `${gauges}/held`);
};

/** Lets everything happen to a gauge that can happen: the loop uses every right that it has. */
const live = async (namespace: string): Promise<void> => {
  const gauges = `/apis/demo.example.com/v1/namespaces/${namespace}/gauges`;
  const pod = `/api/v1/namespaces/${namespace}/pods/g`;
  const get = async (path: string): Promise<Body> => (await plane.request<Body>('GET', path)).body;
  await plane.request('POST', gauges, {
    apiVersion: 'demo.example.com/v1',
    kind: 'Gauge',
    metadata: { name: 'g' },
    spec: { level: 1 },
  });
  const reaches = async (level: number): Promise<void> =>
    waitFor(`level ${level}`, async () => (await get(`${gauges}/g`)).status?.level === level);
  await reaches(1);
  await plane.request('PATCH', pod, { metadata: { labels: { app: 'other' } } }, merge);
  await waitFor('the label to be restored', async () => (await get(pod)).metadata.labels?.['app'] === 'gauge');
  await plane.request('PATCH', `${gauges}/g`, { spec: { level: 2 } }, merge);
  await reaches(2);
  let level = 2;
  await waitFor('look-ups after conflicts', async () => {
    await Promise.all(
      Array.from({ length: 10 }, async () =>
        plane.request('PATCH', `${gauges}/g`, { spec: { level: (level += 1) } }, merge),
      ),
    );
    const entries = await plane.auditEntries({ namespace });
    return entries.some(
      ({ user, verb, resource }) => user.startsWith(ACCOUNTS) && verb === 'get' && resource === 'gauges',
    );
  });
  await plane.request('PATCH', `${gauges}/g`, { spec: { level: 99 } }, merge);
  await reaches(99);
  await meetForeigners(namespace);
  await plane.request('PATCH', `${gauges}/g`, { spec: { level: 0 } }, merge);
  await reaches(0);
  await plane.request('DELETE', `${gauges}/g`);
  await waitFor('the gauge to go', async () => {
    const { items } = (await plane.request<{ items: readonly object[] }>('GET', gauges)).body;
    return items.length === 0;
  });
};

/** Makes the operator list, as on servers without watch-lists: the same rights must be sufficient. */
const listInstead = async (installed: Installed, namespaces?: readonly string[]): Promise<void> => {
  const { name, manifests } = installed;
  const env = { KUBECONFIG: await plane.serviceAccountKubeconfig(name, name) };
  const api = createKubeClient(await loadCredentials({ env }));
  const log = createLogger('silent');
  const outside = { api, timers: systemTimers, random: Math.random, log, watchLists: false };
  const sources = createSources([gauge], { ...outside, ...(namespaces && { namespaces }) });
  sources.start();
  expect(await sources.synced()).toBe(true);
  // Work begins before the quotas are listed.
  const lists = grantedBy(manifests).filter((right) => right.startsWith('list '));
  const isListed = async (): Promise<boolean> => {
    const rights = await used(installed, namespaces !== undefined);
    return lists.every((right) => rights.includes(right));
  };
  await waitFor('everything to be listed', isListed);
  await sources.stop();
  await api.close();
};

describe('the rights of an operator', () => {
  it.each([
    { where: 'everywhere', isLocal: false },
    { where: 'in the namespaces that it is given, and nowhere else', isLocal: true },
  ])('are all used, and no others are needed, $where (R8)', async ({ isLocal }) => {
    const namespace = await plane.createNamespace('rights');
    const installed = await install(isLocal ? 'local' : 'global', isLocal ? [namespace] : undefined);
    const proved = await proveFinalizers(namespace, installed, isLocal);
    await live(namespace);
    await listInstead(installed, isLocal ? [namespace] : undefined);
    expect(await installed.operator.stop()).toBe(0);
    const needed = [...(await used(installed, isLocal)), proved];
    expect(faultsOf(grantedBy(installed.manifests), needed)).toEqual([]);
  });
});
