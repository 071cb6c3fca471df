import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bareOperators, compileBareOperator } from '#test/bench/floor/bare-process.ts';
import { makeTemplates } from '#test/bench/floor/make-templates.ts';
import { fill, placeholder } from '#test/bench/floor/templates.ts';

let folder = '';
let server: Server;
const requests: string[] = [];
const { promise: patched, resolve: whenPatched } = Promise.withResolvers<void>();

const { promise: renewed, resolve: whenRenewed } = Promise.withResolvers<void>();
const LEASE = '/leases/bare';

const settingsFor = (port: number, everyMs = 1e6) => ({
  url: `http://127.0.0.1:${port}`,
  ca: '',
  token: 't',
  templates: makeTemplates(),
  watched: ['/podsets'],
  lease: { path: LEASE, token: 'a', everyMs },
});

const podSet = (name: string, observedGeneration: number): string => {
  const metadata = { name, uid: `uid-${name}`, namespace: 'default', resourceVersion: '1' };
  return `${JSON.stringify({ type: 'ADDED', object: { kind: 'PodSet', metadata, status: { observedGeneration } } })}\n`;
};

/** Answers a watch, which stays open, with one new PodSet and one PodSet with a status. */
const answer = ({ method, url = '' }: IncomingMessage, response: ServerResponse): void => {
  const path = url.replace(/\?.*/, '');
  requests.push(`${method} ${path}`);
  response.writeHead(200, { 'content-type': 'application/json' });
  if (method === 'GET') return void response.write(podSet('new', -1) + podSet('new', -1) + podSet('old', 1));
  response.end('{}');
  if (path === LEASE) whenRenewed();
  else if (method === 'PATCH') whenPatched();
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bare-'));
  server = createServer(answer);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  await compileBareOperator(join(folder, 'bare.mjs'));
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

it('bareOperators() writes pods and status of each new PodSet once, and its process ends although its watches are open', async () => {
  const { port } = server.address() as AddressInfo;
  const bare = await bareOperators(join(folder, 'bare.mjs'), settingsFor(port)).start();
  await patched;
  // The process ends without a signal: the end of its standard input is enough, as at any end of the harness.
  expect(await bare.stop()).toBe(0);
  const pods = 'POST /api/v1/namespaces/default/pods';
  const status = 'PATCH /apis/app.example.com/v1alpha1/namespaces/default/podsets/new/status';
  expect(requests).toEqual(['GET /podsets', pods, pods, pods, status]);
});

it('bareOperators() renews its Lease until it ends', async () => {
  const { port } = server.address() as AddressInfo;
  const bare = await bareOperators(join(folder, 'bare.mjs'), settingsFor(port, 10)).start();
  await renewed;
  expect(await bare.stop()).toBe(0);
  expect(requests).toContain(`PATCH ${LEASE}`);
});

it('bareOperators() fails at once when the process cannot work', async () => {
  await expect(bareOperators(join(folder, 'bare.mjs'), settingsFor(1)).start()).rejects.toThrow(
    /ended or printed 1: expected ready\n[^]*ECONNREFUSED/,
  );
});

it('makeTemplates() gives the bodies of the operator: three pods of the PodSet, and a status that names them', () => {
  const { pods, status } = makeTemplates();
  const names = pods.map((pod) => (JSON.parse(pod) as { metadata: { name: string } }).metadata.name);
  const written = (JSON.parse(status) as { status: { replicas: number; podNames: string[] } }).status;
  expect(written).toMatchObject({ replicas: 3, podNames: names.toSorted() });
  const values = { name: 'web', uid: 'u', namespace: 'default', resourceVersion: '7' };
  const filled = pods.map((pod) => fill(pod, values)).join('') + fill(status, values);
  for (const mark of Object.values(placeholder)) expect(filled).not.toContain(mark);
});
