import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPlainObject } from '#lib/json.ts';
import { type EmbeddedCluster, startEmbeddedCluster } from '#lib/testing.ts';
import { definitions } from '#test/differential/definitions.ts';
import { runs } from '#test/properties.ts';
import { damagedBytes } from './damaged-text.ts';
import { type FuzzRequest, fuzzRequests } from './requests.ts';

interface Answer {
  readonly code: number;
  readonly type: string;
  readonly text: string;
}

const ask = async (
  { url, adminToken }: EmbeddedCluster,
  { path, method, headers, body }: FuzzRequest,
  agent: Agent,
): Promise<Answer> => {
  const { hostname, port } = new URL(url);
  const authorization = `Bearer ${adminToken}`;
  const length = { 'content-length': Buffer.byteLength(body) };
  const sent = request({ hostname, port, path, method, agent, headers: { authorization, ...headers, ...length } });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const code = response.statusCode ?? 0;
  // A watch continues until the client closes the connection.
  if (code === 200 && /[?&]watch/.test(path)) {
    response.destroy();
    return { code, type: '', text: '' };
  }
  return { code, type: response.headers['content-type'] ?? '', text: await text(response) };
};

/** The fault of an answer; undefined for a correct answer. */
const faultOf = ({ code, type, text: body }: Answer, { method }: FuzzRequest): string | undefined => {
  // For some bad inputs, such as a resource version of thirty digits, the real server has the code 500, too.
  if (code > 501) return `the code ${code}`;
  if (/Internal error occurred: \w*Error\b|RangeError|TypeError|SyntaxError|\n\s+at /.test(body)) return 'a defect';
  if (code < 400 || method === 'HEAD' || !type.startsWith('application/json')) return undefined;
  const status: unknown = JSON.parse(body);
  const isStatus = isPlainObject(status) && status['kind'] === 'Status' && status['code'] === code;
  return isStatus && typeof status['message'] === 'string' && status['message'] !== '' ? undefined : 'no Status';
};

/** Sends requests to a new cluster, and returns the first bad answer. */
const firstFault = async (requests: readonly FuzzRequest[]): Promise<unknown> => {
  const errors: unknown[] = [];
  await using cluster = await startEmbeddedCluster({ onError: (error) => errors.push(error) });
  const agent = new Agent({ keepAlive: true, ca: cluster.ca });
  try {
    for (const each of requests) {
      const answer = await ask(cluster, each, agent);
      const fault = faultOf(answer, each);
      if (fault !== undefined) return { fault, answer, request: each };
      if (errors.length > 0) return { fault: 'an error of a controller', error: errors[0], request: each };
    }
    return undefined;
  } finally {
    agent.destroy();
  }
};

const creations: readonly FuzzRequest[] = definitions.map((definition) => ({
  method: 'POST',
  path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(definition),
}));

const unreadableClaim = {
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'a' },
  spec: { resources: { requests: { storage: { toString: 0 } } } },
};

/** Requests of earlier failures. */
const corpus: readonly FuzzRequest[] = [
  {
    method: 'POST',
    path: '/api/v1/namespaces/default/persistentvolumeclaims',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(unreadableClaim),
  },
  {
    method: 'PUT',
    path: '/apis/apps/v1/namespaces/default/statefulsets/a',
    headers: { 'content-type': 'application/json' },
    body: `${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}`,
  },
  {
    method: 'PATCH',
    path: '/api/v1/namespaces/default/configmaps/kube-root-ca.crt',
    headers: { 'content-type': 'application/json-patch+json' },
    body: JSON.stringify([
      { op: 'add', path: '/metadata/annotations', value: {} },
      ...Array.from({ length: 60 }, (_, index) => ({
        op: 'copy',
        from: '/metadata',
        path: `/metadata/annotations/${index}`,
      })),
    ]),
  },
];

const HEAD = `POST /api/v1/namespaces/default/configmaps?fieldManager=a HTTP/1.1\r\nHost: a\r\nUser-Agent: b/1\r\nAccept: application/json\r\nConnection: close\r\n`;
const BODY = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"a-"},"data":{"a":"b"}}';
const withLength = `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;
const inChunks = `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;

/** The bytes that a server sends until it closes the connection; the client sends no more than the request. */
const rawAnswer = async ({ url, ca }: EmbeddedCluster, bytes: Uint8Array): Promise<string> => {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), ca });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  const closed = once(socket, 'close');
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
  // An incomplete request gets no answer, so the client ends the connection.
  socket.setTimeout(300, () => socket.end());
  socket.write(bytes);
  await closed;
  return answer;
};

describe('the embedded cluster', () => {
  it('the embedded cluster gives every request a result or a Status, and its controllers continue', async () => {
    const sequences = fc.array(fuzzRequests, { minLength: 1, maxLength: 60, size: 'max' });
    const property = fc.asyncProperty(sequences, async (requests) => {
      expect(await firstFault([...creations, ...requests])).toBeUndefined();
    });
    await fc.assert(property, { numRuns: runs(8), examples: [[[...corpus]]] });
  });

  it('the embedded cluster answers or closes a connection with any bytes, and serves the next one', async () => {
    await using cluster = await startEmbeddedCluster();
    const authorized = `${HEAD}Authorization: Bearer ${cluster.adminToken}\r\n`;
    const bytes = fc
      .constantFrom(authorized + withLength, authorized + inChunks)
      .chain((text) => damagedBytes(Buffer.from(text)));
    const property = fc.asyncProperty(bytes, async (sent) => {
      expect(await rawAnswer(cluster, sent)).not.toMatch(/^HTTP\/1\.1 5(?!01)/m);
    });
    await fc.assert(property, { numRuns: runs(40) });
    expect(
      await rawAnswer(cluster, Buffer.from('GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')),
    ).toMatch(/^HTTP\/1\.1 200 OK/);
  });
});
