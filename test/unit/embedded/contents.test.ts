import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { objectIn } from '#lib/apiserver/machinery/members.ts';
import { type EmbeddedCluster, startEmbeddedCluster } from '#lib/testing.ts';

/** Starting is slow on a busy machine. */
const PATIENCE_MS = 300_000;

type Body = Record<string, unknown>;

let cluster: EmbeddedCluster;

interface Ask {
  readonly body?: unknown;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const ask = async (path: string, { body, method, headers }: Ask = {}): Promise<{ code: number; body: Body }> => {
  const { hostname, port } = new URL(cluster.url);
  const sent = request({
    hostname,
    port,
    path,
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    ca: cluster.ca,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${cluster.adminToken}`, ...headers },
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { code: response.statusCode ?? 0, body: JSON.parse(await text(response)) as Body };
};

const core = '/api/v1';
const inDefault = `${core}/namespaces/default`;

/** Waits until a read returns the expected value. */
const eventually = async (path: string, read: (body: Body) => unknown, expected: unknown): Promise<void> => {
  await expect.poll(async () => read((await ask(path)).body), { timeout: PATIENCE_MS }).toEqual(expected);
};

const address = ({ spec }: Body): unknown => (spec as Body | undefined)?.['clusterIP'];
const target = ({ spec }: Body): unknown => ((spec as Body)['ports'] as Body[])[0]?.['targetPort'];

const review = async (group: string, plural: string, spec: Body): Promise<unknown> => {
  const { code, body } = await ask(`/apis/${group}/v1/${plural}`, { body: { spec } });
  return code === 201 ? body['status'] : [code, body['message']];
};

const tokens = (spec: Body): Promise<unknown> => review('authentication.k8s.io', 'tokenreviews', spec);
const access = (plural: string, spec: Body): Promise<unknown> => review('authorization.k8s.io', plural, spec);

beforeAll(async () => {
  cluster = await startEmbeddedCluster({ nodes: ['one', 'two'] });
}, PATIENCE_MS);

afterAll(async () => cluster?.close());

describe('startEmbeddedCluster()', () => {
  it('has nodes that are ready, and pods with their addresses', async () => {
    const { body } = await ask(`${core}/nodes?fieldSelector=spec.unschedulable%3Dfalse`);
    const statuses = (body['items'] as Body[]).map((node) => objectIn(node, 'status'));
    expect(statuses.map(({ conditions }) => conditions)).toEqual([
      [expect.objectContaining({ type: 'Ready', status: 'True' })],
      [expect.objectContaining({ type: 'Ready', status: 'True' })],
    ]);
    const hosts = statuses.map(({ addresses }) => (addresses as Body[])[0]?.['address']);
    const spec = { nodeName: 'two', containers: [{ name: 'a', image: 'a' }] };
    await ask(`${inDefault}/pods`, { body: { metadata: { name: 'p' }, spec } });
    await eventually(`${inDefault}/pods/p`, ({ status }) => (status as Body)['hostIP'], hosts[1]);
  });

  it('has the service kubernetes at the first address, and makes it again', async () => {
    const path = `${inDefault}/services/kubernetes`;
    await eventually(path, address, '10.0.0.1');
    expect((await ask(path, { method: 'DELETE' })).code).toBe(200);
    await eventually(path, address, '10.0.0.1');
    expect(target((await ask(path)).body)).toBe(Number(new URL(cluster.url).port));
  });

  it('restores the CA of a namespace when a client changes it', async () => {
    const path = `${inDefault}/configmaps/kube-root-ca.crt`;
    await eventually(path, ({ data }) => data, { 'ca.crt': cluster.ca });
    const body = { metadata: { name: 'kube-root-ca.crt' }, data: { 'ca.crt': '' } };
    expect((await ask(path, { method: 'PUT', body })).code).toBe(200);
    await eventually(path, ({ data }) => data, { 'ca.crt': cluster.ca });
  });

  it('mounts no token of a service account that does not want it', async () => {
    const metadata = { name: 'shy' };
    await ask(`${inDefault}/serviceaccounts`, {
      body: { metadata, automountServiceAccountToken: false, imagePullSecrets: [{ name: 's' }] },
    });
    const spec = { serviceAccountName: 'shy', containers: [{ name: 'a', image: 'a' }] };
    const volumesOf = async (more: Body): Promise<unknown> => {
      const body = { metadata: { generateName: 'shy-' }, spec: { ...spec, ...more } };
      const made = objectIn((await ask(`${inDefault}/pods`, { body })).body, 'spec');
      expect(made['imagePullSecrets']).toEqual([{ name: 's' }]);
      return made['volumes'];
    };
    expect(await volumesOf({})).toBeUndefined();
    expect(await volumesOf({ automountServiceAccountToken: true })).toHaveLength(1);
  });

  it('says whose a token is, and what others may do', async () => {
    const user = 'system:serviceaccount:default:default';
    const token = cluster.tokenOf('default', 'default');
    expect(await tokens({ token })).toMatchObject({ authenticated: true, user: { username: user } });
    expect(await tokens({ token: 'none' })).toEqual({ user: {}, error: 'invalid bearer token' });
    expect(await tokens({ token, audiences: ['else'] })).toEqual({ user: {}, error: 'invalid bearer token' });
    const resourceAttributes = { verb: 'list', resource: 'pods', namespace: 'default' };
    expect(await access('subjectaccessreviews', { user, resourceAttributes })).toEqual({ allowed: false });
    expect(await access('subjectaccessreviews', { groups: ['system:masters'], resourceAttributes })).toEqual({
      allowed: true,
    });
    expect(await access('subjectaccessreviews', { resourceAttributes })).toEqual([
      422,
      expect.stringContaining('at least one of user or group must be specified'),
    ]);
    const local = 'namespaces/other/localsubjectaccessreviews';
    expect(await access(local, { user, resourceAttributes })).toEqual([
      400,
      'spec.resourceAttributes.namespace must match namespace: other',
    ]);
  });

  it('gives tables in their older version, and none of reviews', async () => {
    const accept = 'application/json;as=Table;g=meta.k8s.io;v=v1beta1';
    expect((await ask(`${core}/nodes`, { headers: { accept } })).body).toMatchObject({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1beta1',
    });
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    expect((await ask(path, { body: { spec: {} }, headers: { accept } })).code).toBe(406);
  });

  it('publishes definitions in both versions of OpenAPI', async () => {
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'string', nullable: true } } } };
    const versions = [{ name: 'v1', served: true, storage: true, schema }];
    const names = { plural: 'books', kind: 'Book' };
    const body = {
      metadata: { name: 'books.example.com' },
      spec: { group: 'example.com', scope: 'Namespaced', names, versions },
    };
    expect((await ask('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body })).code).toBe(201);
    const older = objectIn((await ask('/openapi/v2')).body, 'definitions');
    const { spec, metadata } = objectIn(objectIn(older, 'com.example.v1.Book'), 'properties');
    expect(spec).toEqual({});
    expect(metadata).toMatchObject({ $ref: '#/definitions/io.k8s.api.meta.v1.ObjectMeta' });
    const { body: newer } = await ask('/openapi/v3/apis/example.com/v1');
    const meta = objectIn(objectIn(objectIn(newer, 'components'), 'schemas'), 'io.k8s.api.meta.v1.ObjectMeta');
    expect(objectIn(objectIn(meta, 'properties'), 'name')['description']).toMatch(/^Name must be unique/);
  });
});
