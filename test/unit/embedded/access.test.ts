import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedCluster, startEmbeddedCluster } from '#lib/testing.ts';
import { describeRefusals } from '#test/contract/refusals.ts';

/** Starting is slow on a busy machine. */
const PATIENCE_MS = 300_000;

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const configMaps = '/api/v1/namespaces/team-a/configmaps';
const services = '/api/v1/namespaces/team-a/services';
const apply = { 'content-type': 'application/apply-patch+yaml' };
const json = { 'content-type': 'application/json' };

let cluster: EmbeddedCluster;

interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly token?: string;
}

const ask = async (path: string, { method = 'GET', headers = json, body, token }: Ask = {}): Promise<string> => {
  const { hostname, port } = new URL(cluster.url);
  const authorization = `Bearer ${token ?? cluster.adminToken}`;
  const sent = request({ hostname, port, path, method, ca: cluster.ca, headers: { ...headers, authorization } });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const { message = '' } = JSON.parse(await text(response)) as { readonly message?: string };
  return `${response.statusCode} ${message}`.trim();
};

const post = async (path: string, body: unknown): Promise<void> => {
  expect(await ask(path, { method: 'POST', body })).toBe('201');
};

/** A service account of `team-a` with a single role there. @returns its token */
const memberWith = async (name: string, rule: object): Promise<string> => {
  const metadata = { name };
  await post('/api/v1/namespaces/team-a/serviceaccounts', { metadata });
  await post(`${rbac}/namespaces/team-a/roles`, { metadata, rules: [rule] });
  const subjects = [{ kind: 'ServiceAccount', name, namespace: 'team-a' }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name };
  await post(`${rbac}/namespaces/team-a/rolebindings`, { metadata, subjects, roleRef });
  return cluster.tokenOf('team-a', name);
};

const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'new', namespace: 'team-a' } };
const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'new', namespace: 'team-a' },
  spec: { ports: [{ port: 80 }] },
};

beforeAll(async () => {
  cluster = await startEmbeddedCluster();
  for (const name of ['team-a', 'other']) await post('/api/v1/namespaces', { metadata: { name } });
}, PATIENCE_MS);

afterAll(async () => cluster?.close());

const by = (selector: string, more = ''): string =>
  `${configMaps}?fieldSelector=${encodeURIComponent(selector)}${more}`;

/** Lists the nodes with impersonation headers. */
const as = async (headers: Readonly<Record<string, string>>): Promise<string> => ask('/api/v1/nodes', { headers });

describeRefusals('the embedded cluster', () => ({ ...cluster, token: cluster.adminToken }));

describe('HttpApi.handle()', () => {
  it('lets a role in one namespace reach no other, nor what is in none', async () => {
    const token = await memberWith('owner', { apiGroups: ['*'], resources: ['*'], verbs: ['*'] });
    const inside = '/api/v1/namespaces/team-a';
    const nowhere = '404 the server could not find the requested resource';
    expect(await ask(`${inside}/namespaces/other`, { token })).toBe(nowhere);
    expect(await ask(`${inside}/namespaces`, { token })).toBe(nowhere);
    expect(await ask(`${inside}/namespaces?watch=1`, { token })).toBe(nowhere);
    expect(await ask(`${inside}/namespaces/other`, { method: 'DELETE', token })).toBe(nowhere);
    expect(await ask(`${inside}/namespaces/other`, { method: 'PATCH', headers: apply, body: {}, token })).toBe(nowhere);
    expect(await ask(`${inside}/namespaces/other/finalize`, { method: 'PUT', body: {}, token })).toBe(nowhere);
    expect(await ask(`${inside}/namespaces/other/status`, { token })).toBe(nowhere);
    expect(await ask(`${inside}/nodes/node-1`, { token })).toBe(nowhere);
    expect(await ask(`${rbac}/namespaces/team-a/clusterroles`, { token })).toBe(nowhere);
    expect(await ask('/api/v1/namespaces/other', { token })).toMatch(/^403 /);
    expect(await ask('/api/v1/namespaces', { token })).toMatch(/^403 /);
    expect(await ask(inside, { token })).toBe('200');
    expect(await ask('/api/v1/namespaces/other')).toBe('200');
  });

  it('asks for the right to create when an apply or an update creates', async () => {
    const rule = { apiGroups: [''], resources: ['configmaps', 'services'] };
    const token = await memberWith('changer', { ...rule, verbs: ['patch', 'update'] });
    const path = `${configMaps}/new?fieldManager=test`;
    const applied = { method: 'PATCH', headers: apply, body: configMap };
    const cannot = 'is forbidden: User "system:serviceaccount:team-a:changer" cannot create resource';
    const where = 'in API group "" in the namespace "team-a"';
    expect(await ask(path, { ...applied, token })).toBe(`403 configmaps "new" ${cannot} "configmaps" ${where}`);
    expect(await ask(`${path}&dryRun=All`, { ...applied, token })).toMatch(/^403 /);
    const put = { method: 'PUT', body: service };
    expect(await ask(`${services}/new`, { ...put, token })).toBe(`403 services "new" ${cannot} "services" ${where}`);
    expect(await ask(`${configMaps}/new`)).toMatch(/^404 /);
    const both = await memberWith('maker', { ...rule, verbs: ['patch', 'update', 'create'] });
    expect(await ask(path, { ...applied, token: both })).toBe('201');
    expect(await ask(`${services}/new`, { ...put, token: both })).toBe('201');
    const changed = { ...applied, body: { ...configMap, data: { a: 'b' } } };
    expect(await ask(`${path}&force=true`, { ...changed, token })).toBe('200');
  });

  it('lets a right to one name list and watch that name, not delete by it', async () => {
    const rule = { apiGroups: [''], resources: ['configmaps'], resourceNames: ['a'], verbs: ['*'] };
    const token = await memberWith('picky', rule);
    expect(await ask(by('metadata.name=a'), { token })).toBe('200');
    expect(await ask(by('metadata.namespace=team-a,metadata.name==a'), { token })).toBe('200');
    expect(await ask(by('metadata.name=a', '&watch=1&timeoutSeconds=1&resourceVersion=1'), { token })).toMatch(/^200/);
    const user = 'User "system:serviceaccount:team-a:picky"';
    const where = 'in API group "" in the namespace "team-a"';
    expect(await ask(by('metadata.name=b'), { token })).toBe(
      `403 configmaps "b" is forbidden: ${user} cannot list resource "configmaps" ${where}`,
    );
    for (const selector of ['', 'metadata.name!=a', 'metadata.name=', 'metadata.namespace=a'])
      expect(await ask(by(selector), { token })).toBe(
        `403 configmaps is forbidden: ${user} cannot list resource "configmaps" ${where}`,
      );
    expect(await ask(by('metadata.name=a'), { method: 'DELETE', token })).toBe(
      `403 configmaps is forbidden: ${user} cannot deletecollection resource "configmaps" ${where}`,
    );
  });

  it('reads the headers of impersonation', async () => {
    expect(await as({ 'impersonate-user': 'eve', 'impersonate-extra-a%2fb': 'c', 'impersonate-uid': '1' })).toMatch(
      /^403 nodes is forbidden: User "eve" cannot list/,
    );
    expect(await as({ 'impersonate-extra-a%2fb': 'c' })).toMatch(/^400 .*Extra:map.*{"a\/b":\[\]string{"c"}}}/);
    expect(await as({ 'impersonate-user': 'eve', 'impersonate-group': 'system:masters' })).toBe('200');
  });
});
