import { once } from 'node:events';
import { access } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { connect as connectPlainly } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedCluster, startEmbeddedCluster } from '#lib/testing.ts';

/** Starting is slow on a busy machine. */
const PATIENCE_MS = 300_000;

let cluster: EmbeddedCluster;
let agent: Agent;

beforeAll(async () => {
  cluster = await startEmbeddedCluster();
  agent = new Agent({ keepAlive: true, ca: cluster.ca });
}, PATIENCE_MS);

afterAll(async () => {
  agent?.destroy();
  await cluster?.close();
});

interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** @default the administrator's */
  readonly token?: string;
}

const ask = async (path: string, { method = 'GET', headers = {}, body, token }: Ask = {}): Promise<string> => {
  const { hostname, port } = new URL(cluster.url);
  const authorization = token === '' ? {} : { authorization: `Bearer ${token ?? cluster.adminToken}` };
  const sent = request({ hostname, port, path, method, agent, headers: { ...authorization, ...headers } });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const answer = await text(response);
  const isStatus = response.headers['content-type'] === 'application/json' && (response.statusCode ?? 0) >= 400;
  const { reason, message } = isStatus
    ? (JSON.parse(answer) as { reason: string; message: string })
    : { reason: '', message: answer };
  return `${response.statusCode} ${reason}${reason === '' ? '' : ': '}${message.trim()}`;
};

const configMaps = '/api/v1/namespaces/default/configmaps';
const json = { 'content-type': 'application/json' };

describe('the embedded cluster given bad input', () => {
  it('returns nothing without a token, and refuses an invalid one', async () => {
    expect(await ask('/api/v1/pods', { token: '' })).toBe(
      '403 Forbidden: pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" at the cluster scope',
    );
    expect(await ask('/api', { token: '' })).toBe(
      '403 Forbidden: forbidden: User "system:anonymous" cannot get path "/api"',
    );
    expect(await ask('/api/v1/pods', { token: 'nonsense' })).toBe('401 Unauthorized: Unauthorized');
    expect(await ask('/api/v1/pods', { token: 'a.b.c' })).toBe('401 Unauthorized: Unauthorized');
    expect(await ask('/healthz', { token: '' })).toBe('200 ok');
  });

  it('answers paths, methods and parameters that make no sense', async () => {
    expect(await ask('/nope')).toBe('404 404 page not found');
    expect(await ask('/api/v1/%zz')).toMatch(/^400 BadRequest: the path "\/api\/v1\/%zz" is not properly encoded/);
    expect(await ask('/api/v1/things')).toMatch(/^404 NotFound/);
    expect(await ask('/apis/resource.k8s.io/v1/resourceclaims')).toMatch(
      /^501 NotImplemented: .*resourceclaims\.resource\.k8s\.io/,
    );
    expect(await ask('/api/v1/pods?limit=many')).toMatch(/^400 BadRequest: .*parsing "many": invalid syntax/);
    expect(await ask('/api/v1/pods?labelSelector=a%20b')).toMatch(/^400 BadRequest/);
    expect(await ask('/api/v1/pods', { method: 'OPTIONS' })).toMatch(/^405 MethodNotAllowed/);
    expect(await ask('/api/v1/pods?timeout=soon')).toMatch(/^400 BadRequest: invalid timeout .* duration "soon"$/);
    expect(await ask('/api/v1/pods?timeout=1m0.5s')).toMatch(/^200/);
    expect(await ask('/openapi/v2/more')).toMatch(/^404/);
    const accept = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
    expect(await ask('/openapi/v2', { headers: { accept } })).toMatch(/^406 NotAcceptable/);
  });

  it('answers media types that it does not know', async () => {
    expect(await ask('/api/v1/pods', { headers: { accept: 'text/html' } })).toMatch(/^406 NotAcceptable/);
    const plain = { 'content-type': 'text/plain' };
    expect(await ask(configMaps, { method: 'POST', headers: plain, body: '{}' })).toMatch(/^415 UnsupportedMediaType/);
    expect(await ask(`${configMaps}/a`, { method: 'PATCH', headers: plain, body: '{}' })).toMatch(
      /^415 UnsupportedMediaType/,
    );
  });

  it('answers bodies that are broken, or too large', async () => {
    const post = async (body: string, type = 'application/json'): Promise<string> =>
      ask(configMaps, { method: 'POST', headers: { 'content-type': type }, body });
    expect(await post('{broken')).toMatch(/^400 BadRequest: error decoding JSON/);
    expect(await post('a: [', 'application/yaml')).toMatch(/^400 BadRequest: error decoding YAML/);
    expect(await post('k8s\0\u00ff', 'application/vnd.kubernetes.protobuf')).toMatch(
      /^400 BadRequest: error decoding protobuf/,
    );
    expect(await post('[]')).toMatch(/^400 BadRequest/);
    const [open, close] = ['{"a":'.repeat(9000), '}'.repeat(9000)];
    expect(await post(`${open}1${close}`)).toBe('400 BadRequest: error decoding JSON: exceeded max depth');
    expect(await post(`${open}1${close}`, 'application/yaml')).toBe(
      '400 BadRequest: error decoding YAML: exceeded max depth',
    );
    expect(await post('')).toMatch(/^400 BadRequest/);
    const tagged =
      '%YAML 1.1\n---\n{kind: ConfigMap, apiVersion: v1, metadata: {name: tagged}, data: {a: !!timestamp 2001-12-14}}\n';
    expect(await post(tagged, 'application/yaml')).toMatch(/^201 .*"a":"2001-12-14"/);
    expect(await post(tagged.replace('!!timestamp 2001-12-14', '.nan'), 'application/yaml')).toBe(
      '400 BadRequest: error decoding YAML: a number is not finite',
    );
    expect(await post(`{"data":{"a":"${'x'.repeat(4_000_000)}"}}`)).toBe(
      '413 RequestEntityTooLarge: Request entity too large: limit is 3145728',
    );
    expect(await ask(configMaps, { method: 'POST', headers: json, body: '{"metadata":{"name":"after"}}' })).toMatch(
      /^201 /,
    );
  });

  it('goes on when clients leave in the middle of a request, a body or a watch', async () => {
    const { hostname, port } = new URL(cluster.url);
    for (const part of [
      'POST /api/v1/nam',
      `POST ${configMaps} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${cluster.adminToken}\r\ncontent-length: 900\r\n\r\n{"a"`,
      `GET ${configMaps}?watch=1 HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${cluster.adminToken}\r\n\r\n`,
    ]) {
      const socket = connect({ host: hostname, port: Number(port), ca: cluster.ca });
      await once(socket, 'secureConnect');
      await new Promise<void>((resolve) => {
        socket.write(part, () => resolve());
      });
      socket.destroy();
    }
    expect(await ask('/readyz')).toBe('200 ok');
  });

  it('says so when its port is taken, or is none', async () => {
    const { port } = new URL(cluster.url);
    await expect(startEmbeddedCluster({ port: Number(port) })).rejects.toThrow(`port ${port} of 127.0.0.1 is in use`);
    await expect(startEmbeddedCluster({ port: 70_000 })).rejects.toThrow('70000 is not a port');
    await expect(startEmbeddedCluster({ host: '203.0.113.1' })).rejects.toThrow(
      '203.0.113.1 is not an address of this machine',
    );
  });

  it('warns of an address that others may reach', async () => {
    const warnings: string[] = [];
    const onWarning = ({ message }: Error): void => void warnings.push(message);
    process.on('warning', onWarning);
    await (await startEmbeddedCluster({ host: '0.0.0.0' })).close();
    process.off('warning', onWarning);
    expect(warnings).toContainEqual(expect.stringMatching(/can be reached from other machines at 0\.0\.0\.0/));
  });

  it('close() does not wait for silent connections, nor for incomplete handshakes', async () => {
    const other = await startEmbeddedCluster();
    const { hostname, port } = new URL(other.url);
    // The head of a TLS record that announces 512 bytes, and one of them.
    const beginnings = [Buffer.alloc(0), Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01])];
    const ended = beginnings.map(async (beginning) => {
      const socket = connectPlainly({ host: hostname, port: Number(port) }).on('error', () => {});
      await once(socket, 'connect');
      socket.write(beginning);
      return async () => once(socket, 'close');
    });
    const closed = (await Promise.all(ended)).map((wait) => wait());
    const begin = performance.now();
    await other.close();
    // Node's own limit for a handshake is two minutes.
    expect(performance.now() - begin).toBeLessThan(30_000);
    await Promise.all(closed);
  });

  it('close() leaves neither port nor files, also while a watch is open', async () => {
    const other = await startEmbeddedCluster();
    const { hostname, port } = new URL(other.url);
    const headers = { authorization: `Bearer ${other.adminToken}` };
    const watch = request({ hostname, port, path: '/api/v1/pods?watch=1', ca: other.ca, headers, agent: false }).end();
    const [response] = (await once(watch, 'response')) as [IncomingMessage];
    const ended = text(response);
    await Promise.all([other.close(), other.close()]);
    expect(await ended).toBe('');
    await expect(access(other.kubeconfig)).rejects.toThrow('ENOENT');
    const again = await startEmbeddedCluster({ port: Number(port) });
    await again.close();
  });
});
