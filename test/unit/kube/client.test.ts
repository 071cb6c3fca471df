import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { ApiError, ConfigurationError, ConnectionError } from '#lib/errors.ts';
import type { WatchEvent } from '#lib/kube/api.ts';
import type { Credentials } from '#lib/kube/authentication.ts';
import { createKubeClient, type KubeClient } from '#lib/kube/client.ts';
import type { RequestInfo, TransportOptions } from '#lib/kube/request.ts';
import { fixedCredentials } from './fixed-credentials.ts';
import {
  certificate,
  type HttpServer,
  type HttpServerOptions,
  type Received,
  sendJson,
  sendStatus,
  startHttpServer,
} from './http-server.ts';
import { manualTimers } from './manual-timers.ts';

const pods = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' } as const;
const podSets = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', plural: 'podsets', scope: 'Namespaced' } as const;
const target = { namespace: 'default', name: 'web' };
const object = (more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...target, uid: 'u', resourceVersion: '5', ...more },
});
const list = (...items: object[]) => ({ kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '9' }, items });

const running: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((item) => item.close()));
});

type Answer = (request: Received, response: ServerResponse) => void;

const serve = async (answer: Answer, options: HttpServerOptions = {}): Promise<HttpServer> => {
  const server = await startHttpServer(answer, options);
  running.push(server);
  return server;
};

const connect = (credentials: Credentials, options: TransportOptions = {}): KubeClient => {
  const client = createKubeClient(credentials, options);
  running.push(client);
  return client;
};

const setUp = async (answer: Answer, options: TransportOptions = {}) => {
  const server = await serve(answer);
  return { server, client: connect(fixedCredentials(server.url, 'secret-token'), options) };
};

const failure = async (promise: Promise<unknown>): Promise<Error> => {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error('expected a rejection');
};

describe('createKubeClient: requests', () => {
  it('list() asks for a page and completes its items when the server leaves out their kind', async () => {
    const answer = { ...list({ metadata: { name: 'a' } }, { kind: 'Own', metadata: { name: 'b' } }) };
    const { server, client } = await setUp((_, response) =>
      sendJson(response, { ...answer, metadata: { resourceVersion: '9', continue: 'more' } }),
    );
    expect(await client.list(pods, { namespace: 'default', limit: 2, continueToken: 'a+b/=' })).toEqual({
      items: [
        { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } },
        { apiVersion: 'v1', kind: 'Own', metadata: { name: 'b' } },
      ],
      resourceVersion: '9',
      continueToken: 'more',
    });
    const [request] = server.received;
    expect(request?.url.pathname).toBe('/api/v1/namespaces/default/pods');
    expect(Object.fromEntries(request!.url.searchParams)).toEqual({ limit: '2', continue: 'a+b/=' });
    expect(request?.headers).toMatchObject({
      accept: 'application/json',
      authorization: 'Bearer secret-token',
      'user-agent': expect.stringMatching(/^cdk8s-reconcile\/\d/),
    });
  });

  it('list() gives an empty page without a token when there is nothing', async () => {
    const { client } = await setUp((_, response) =>
      sendJson(response, { metadata: { resourceVersion: '9', continue: '' }, items: null }),
    );
    expect(await client.list(podSets)).toEqual({ items: [], resourceVersion: '9' });
  });

  it('create(), get(), patchStatus() and delete() say what they mean when they are sent', async () => {
    const { server, client } = await setUp((_, response) => sendJson(response, object()));
    expect(await client.create(podSets, object(), { namespace: 'default', fieldManager: 'me' })).toEqual(object());
    expect(await client.get(pods, target)).toEqual(object());
    await client.patchStatus(podSets, target, { metadata: { uid: 'u' }, status: { x: 'é' } }, { fieldManager: 'me' });
    await client.delete(pods, target, { uid: 'u', resourceVersion: '5', gracePeriodSeconds: 0 });
    const path = '/apis/app.example.com/v1alpha1/namespaces/default/podsets';
    expect(
      server.received.map(({ method, url, headers, body }) => ({
        request: `${method} ${url.pathname}${url.search}`,
        type: headers['content-type'],
        body: body === '' ? undefined : JSON.parse(body),
      })),
    ).toEqual([
      { request: `POST ${path}?fieldManager=me&fieldValidation=Strict`, type: 'application/json', body: object() },
      { request: 'GET /api/v1/namespaces/default/pods/web', type: undefined, body: undefined },
      {
        request: `PATCH ${path}/web/status?fieldManager=me`,
        type: 'application/merge-patch+json',
        body: { metadata: { uid: 'u' }, status: { x: 'é' } },
      },
      {
        request: 'DELETE /api/v1/namespaces/default/pods/web',
        type: 'application/json',
        body: {
          apiVersion: 'meta.k8s.io/v1',
          kind: 'DeleteOptions',
          propagationPolicy: 'Background',
          preconditions: { uid: 'u', resourceVersion: '5' },
          gracePeriodSeconds: 0,
        },
      },
    ]);
  });

  it.each([
    { reason: 'a Status', answer: { kind: 'Status', metadata: {}, status: 'Success' }, lingers: false },
    { reason: 'the object as it was', answer: object(), lingers: false },
    {
      reason: 'a pod without grace',
      answer: object({ deletionTimestamp: 'now', deletionGracePeriodSeconds: 0 }),
      lingers: false,
    },
    {
      reason: 'a pod that terminates',
      answer: object({ deletionTimestamp: 'now', deletionGracePeriodSeconds: 30 }),
      lingers: true,
    },
    {
      reason: 'an object with finalizers',
      answer: object({ deletionTimestamp: 'now', deletionGracePeriodSeconds: 0, finalizers: ['x/y'] }),
      lingers: true,
    },
  ])('delete() resolves with the object if it lingers ($lingers) when the answer is $reason', async ({ answer, lingers }) => {
    const { client } = await setUp((_, response) => sendJson(response, answer));
    expect(await client.delete(pods, target, { uid: 'u' })).toEqual(lingers ? answer : undefined);
  });

  it('list() keeps the path of the server when it is behind one', async () => {
    const server = await serve((_, response) => sendJson(response, list()));
    await connect(fixedCredentials(`${server.url}/k8s/clusters/c-1/`)).list(pods);
    expect(server.received[0]?.url.pathname).toBe('/k8s/clusters/c-1/api/v1/pods');
  });

  it('list() tells the observer verb, resource and code when requests end', async () => {
    const seen: RequestInfo[] = [];
    const { server, client } = await setUp(
      ({ method }, response) => (method === 'GET' ? sendJson(response, list()) : sendStatus(response, { code: 409 })),
      { observe: (info) => seen.push(info) },
    );
    await client.list(pods);
    await failure(client.create(pods, object(), { namespace: 'default', fieldManager: 'me' }));
    await server.close();
    await failure(client.list(pods));
    expect(seen.map(({ verb, resource, code }) => [verb, resource, code])).toEqual([
      ['list', 'pods', 200],
      ['create', 'pods', 409],
      ['list', 'pods', undefined],
    ]);
    expect(seen.every(({ durationMs }) => durationMs >= 0)).toBe(true);
  });
});

describe('createKubeClient: errors', () => {
  it('create() rejects with the reason when the server answers with a Status', async () => {
    const { client } = await setUp((_, response) => {
      response.setHeader('retry-after', '2');
      sendStatus(response, { code: 409, reason: 'AlreadyExists', message: 'pods "web" already exists' });
    });
    const error = await failure(client.create(pods, object(), { namespace: 'default', fieldManager: 'me' }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 'AlreadyExists', httpStatus: 409, retryAfterMs: 2000 });
    expect(error.message).toContain('create pods "default/web"');
  });

  it('list() rejects without the token when a proxy answers with HTML that repeats it', async () => {
    const { client } = await setUp(({ headers }, response) => {
      response.writeHead(502, { 'content-type': 'text/html' }).end(`<h1>Bad Gateway</h1>${headers.authorization}`);
    });
    const error = await failure(client.list(pods));
    expect(error).toMatchObject({ httpStatus: 502, serverMessage: 'Bad Gateway Bearer [redacted]' });
    expect(error.message).not.toContain('secret-token');
  });

  it.each([
    { reason: 'a page that is no JSON', answer: '<html>sign in</html>' },
    { reason: 'JSON of something else', answer: '{"hello":"world"}' },
    { reason: 'JSON that is no object', answer: '[]' },
  ])('get() and list() reject with ConnectionError when the server answers 200 with $reason', async ({ answer }) => {
    const { client } = await setUp((_, response) => void response.writeHead(200).end(answer));
    expect(await failure(client.get(pods, target))).toBeInstanceOf(ConnectionError);
    expect(await failure(client.list(pods))).toBeInstanceOf(ConnectionError);
  });

  it('list() names server and cause, not the token, when nothing listens', async () => {
    const server = await serve(() => {});
    await server.close();
    const client = connect(fixedCredentials(server.url.replace('//', '//user:password@'), 'secret-token'));
    const error = await failure(client.list(pods));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toContain(`list pods: ${server.url} refused the connection`);
    expect(error.message).toContain('ECONNREFUSED');
    expect(error.message).not.toMatch(/secret-token|password/);
  });

  it('list() names the host when it cannot be resolved', async () => {
    const error = await failure(connect(fixedCredentials('http://no-such-host.invalid:6443')).list(pods));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toMatch(/no-such-host\.invalid:6443 has a host name that cannot be resolved.*\((ENOTFOUND|EAI_AGAIN)\)/);
  });

  it('get() rejects with ConnectionError when the connection breaks in the middle of an answer', async () => {
    const { client } = await setUp((_, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"kind":', () => response.destroy());
    });
    const error = await failure(client.get(pods, target));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toContain('closed the connection');
  });

  it.each([
    { reason: 'no answer begins', answer: () => {} },
    { reason: 'an answer does not end', answer: (_: Received, response: ServerResponse) => void response.write('{') },
  ])('get() rejects with ConnectionError when time is over and $reason', async ({ answer }) => {
    const { client } = await setUp(answer, { requestTimeoutMs: 30 });
    const error = await failure(client.get(pods, target));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toContain('did not answer in time');
  });

  it('get() waits 30 s when no timeout is set', async () => {
    const timers = manualTimers();
    const arrived = Promise.withResolvers<void>();
    const { client } = await setUp(() => arrived.resolve(), { timers });
    const outcome = failure(client.get(pods, target));
    await arrived.promise;
    expect(timers.pending()).toEqual([30_000]);
    await timers.advance(30_000);
    expect(await outcome).toBeInstanceOf(ConnectionError);
    expect(timers.pending()).toEqual([]);
  });

  it('list() rejects with ConnectionError when its signal aborts, before and during', async () => {
    const arrived = Promise.withResolvers<void>();
    const { server, client } = await setUp(() => arrived.resolve());
    const abort = new AbortController();
    const outcome = failure(client.list(pods, { signal: abort.signal }));
    await arrived.promise;
    abort.abort();
    expect(await outcome).toBeInstanceOf(ConnectionError);
    expect(await failure(client.list(pods, { signal: abort.signal }))).toBeInstanceOf(ConnectionError);
    expect(server.received).toHaveLength(1);
  });

  it('list() rejects with ConnectionError when the client is closed', async () => {
    const { client } = await setUp((_, response) => sendJson(response, list()));
    await client.list(pods);
    await client.close();
    const error = await failure(client.list(pods));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toContain('closed');
  });

  it('createKubeClient() throws ConfigurationError when the server is no URL', () => {
    expect(() => createKubeClient(fixedCredentials('10.0.0.1:6443'))).toThrow(ConfigurationError);
  });
});

describe('createKubeClient: connections', () => {
  it('list() uses one connection when requests follow each other', async () => {
    const { server, client } = await setUp((_, response) => sendJson(response, list()));
    for (let round = 0; round < 20; round += 1) await client.list(pods);
    expect(server.connections()).toBe(1);
  });

  it('list() never opens more connections than allowed when many requests are under way', async () => {
    const waiting: ServerResponse[] = [];
    const full = Promise.withResolvers<void>();
    const { server, client } = await setUp(
      (_, response) => {
        waiting.push(response);
        if (waiting.length >= 4) full.resolve();
        if (server.received.length > 4) sendJson(response, list());
      },
      { connections: 4 },
    );
    const all = Promise.all(Array.from({ length: 40 }, () => client.list(pods)));
    await full.promise;
    expect(server.received).toHaveLength(4);
    for (const response of waiting.splice(0)) sendJson(response, list());
    await all;
    expect([server.received.length, server.connections()]).toEqual([40, 4]);
  });

  it('list() gets through when watches hold more connections than the pool has', async () => {
    const { client } = await setUp(
      ({ url }, response) => {
        if (url.searchParams.has('watch')) response.writeHead(200).flushHeaders();
        else sendJson(response, list());
      },
      { connections: 1 },
    );
    const abort = new AbortController();
    const options = { resourceVersion: '1', timeoutSeconds: 300, signal: abort.signal };
    const watches = [1, 2, 3].map(() => client.watch(pods, options, () => {}));
    expect(await client.list(pods)).toMatchObject({ resourceVersion: '9' });
    abort.abort();
    await Promise.all(watches);
  });

  it('list() trusts the authority it is given when the server speaks TLS, by IPv4 and IPv6 and name', async () => {
    for (const host of ['127.0.0.1', '::1', 'localhost']) {
      const server = await serve((_, response) => sendJson(response, list()), { tls: true, host });
      const page = await connect(fixedCredentials(server.url, undefined, { ca: certificate })).list(pods);
      expect(page.resourceVersion).toBe('9');
    }
  });

  it.each([
    { reason: 'nobody vouches for it', tls: {}, code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    { reason: 'it is for other names', tls: { ca: certificate, servername: 'other' }, code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
  ])('list() rejects with ConnectionError when the certificate is wrong: $reason', async ({ tls, code }) => {
    const server = await serve((_, response) => sendJson(response, list()), { tls: true });
    const error = await failure(connect(fixedCredentials(server.url, 'secret-token', tls)).list(pods));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toContain(code);
  });

  it('list() verifies another name when it is told to, and nothing when it is told so', async () => {
    const server = await serve((_, response) => sendJson(response, list()), { tls: true });
    for (const tls of [{ ca: certificate, servername: 'kubernetes.default.svc' }, { rejectUnauthorized: false }]) {
      expect(await connect(fixedCredentials(server.url, undefined, tls)).list(pods)).toMatchObject({ items: [] });
    }
  });

  it('list() takes up a new authority when it changes, and lets a watch under way go on', async () => {
    let watching: ServerResponse | undefined;
    const server = await serve(
      ({ url }, response) => {
        if (!url.searchParams.has('watch')) return sendJson(response, list());
        watching = response;
        return response.writeHead(200).flushHeaders();
      },
      { tls: true },
    );
    const credentials = fixedCredentials(server.url, undefined, { ca: certificate });
    const client = connect(credentials);
    const seen: WatchEvent[] = [];
    const options = { resourceVersion: '1', timeoutSeconds: 300, signal: new AbortController().signal };
    const watch = client.watch(pods, options, (event) => seen.push(event));
    await client.list(pods);
    credentials.rotate({});
    expect(await failure(client.list(pods))).toBeInstanceOf(ConnectionError);
    credentials.rotate({ ca: certificate });
    await client.list(pods);
    watching?.end(`${JSON.stringify({ type: 'ADDED', object: object() })}\n`);
    await watch;
    expect(seen).toEqual([{ type: 'ADDED', object: object() }]);
  });
});

describe('createKubeClient: renewal', () => {
  const guarded: Answer = ({ headers, url }, response) => {
    if (headers.authorization !== 'Bearer new') sendStatus(response, { code: 401, reason: 'Unauthorized' });
    else if (url.searchParams.has('watch')) response.writeHead(200).end();
    else sendJson(response, list());
  };

  it('list() and watch() go through when a 401 leads to a new token', async () => {
    const server = await serve(guarded);
    const credentials = Object.assign(fixedCredentials(server.url, 'old'), { next: 'new' });
    const client = connect(credentials);
    expect(await client.list(pods)).toMatchObject({ resourceVersion: '9' });
    const watched = Object.assign(fixedCredentials(server.url, 'old'), { next: 'new' });
    const options = { resourceVersion: '1', timeoutSeconds: 300, signal: new AbortController().signal };
    await connect(watched).watch(pods, options, () => {});
    expect(server.received).toHaveLength(4);
  });

  it('list() rejects after one request when a 401 leads to no other token', async () => {
    const server = await serve(guarded);
    const error = await failure(connect(fixedCredentials(server.url, 'old')).list(pods));
    expect(error).toMatchObject({ code: 'Unauthorized' });
    expect(server.received).toHaveLength(1);
  });

  it('list() rejects after two requests when the new token is no better', async () => {
    const server = await serve(guarded);
    const credentials = Object.assign(fixedCredentials(server.url, 'old'), { next: 'other' });
    expect(await failure(connect(credentials).list(pods))).toMatchObject({ code: 'Unauthorized' });
    expect(server.received).toHaveLength(2);
  });
});

describe('createKubeClient: watch', () => {
  const line = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;

  const watchOf = async (answer: Answer, more: { signal?: AbortSignal; transport?: TransportOptions } = {}) => {
    const { server, client } = await setUp(answer, more.transport);
    const events: WatchEvent[] = [];
    const signal = more.signal ?? new AbortController().signal;
    const options = { namespace: 'default', resourceVersion: '7', timeoutSeconds: 300, signal };
    return { server, events, ended: client.watch(pods, options, (event) => events.push(event)) };
  };

  it('watch() delivers every event when bytes arrive one by one', async () => {
    const annotated = object({ annotations: { who: 'é👩‍🚀日本' } });
    const bytes = Buffer.from(line('ADDED', annotated) + line('BOOKMARK', { metadata: { resourceVersion: '50' } }));
    const { server, events, ended } = await watchOf((_, response) => {
      response.writeHead(200);
      response.socket?.setNoDelay(true);
      const send = (index: number): void => {
        if (index === bytes.length) response.end();
        else response.write(bytes.subarray(index, index + 1), () => send(index + 1));
      };
      send(0);
    });
    await ended;
    expect(events).toEqual([
      { type: 'ADDED', object: annotated },
      { type: 'BOOKMARK', resourceVersion: '50' },
    ]);
    const { url } = server.received[0]!;
    expect(url.pathname).toBe('/api/v1/namespaces/default/pods');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: '7',
      timeoutSeconds: '300',
    });
  });

  it('watch() delivers in order what came before an error when the stream reports one', async () => {
    const status = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' };
    const { events, ended } = await watchOf((_, response) => {
      response.writeHead(200).end(line('ADDED', object()) + line('DELETED', object()) + line('ERROR', status));
    });
    expect(await failure(ended)).toMatchObject({ code: 'Expired', httpStatus: 410 });
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'DELETED']);
  });

  it('watch() rejects with ApiError when the server refuses it', async () => {
    const { ended } = await watchOf((_, response) => sendStatus(response, { code: 410, reason: 'Gone' }));
    expect(await failure(ended)).toMatchObject({ code: 'Gone', httpStatus: 410 });
  });

  it.each([
    { reason: 'is cut off inside an event', text: '{"type":"ADDED","obj' },
    { reason: 'is no JSON', text: '<html>\n' },
    { reason: 'has events of an unknown type', text: '{"type":"OTHER","object":{"metadata":{"resourceVersion":"1"}}}\n' },
    { reason: 'has events without an object', text: '{"type":"ADDED"}\n' },
  ])('watch() rejects with ConnectionError when the stream $reason', async ({ text }) => {
    const { ended } = await watchOf((_, response) => void response.writeHead(200).end(text));
    expect(await failure(ended)).toBeInstanceOf(ConnectionError);
  });

  it('watch() rejects with ConnectionError when the connection breaks', async () => {
    const { events, ended } = await watchOf((_, response) => {
      response.writeHead(200);
      response.write(line('ADDED', object()), () => response.destroy());
    });
    expect(await failure(ended)).toBeInstanceOf(ConnectionError);
    expect(events).toHaveLength(1);
  });

  it('watch() resolves and delivers no more when its signal aborts', async () => {
    const abort = new AbortController();
    const { server, client } = await setUp((_, response) => {
      response.writeHead(200).write(line('ADDED', object()) + line('MODIFIED', object()));
    });
    const events: WatchEvent[] = [];
    await client.watch(pods, { resourceVersion: '7', timeoutSeconds: 300, signal: abort.signal }, (event) => {
      events.push(event);
      abort.abort();
    });
    expect(events.map(({ type }) => type)).toEqual(['ADDED']);
    await client.watch(pods, { resourceVersion: '7', timeoutSeconds: 300, signal: abort.signal }, () => {});
    expect(server.received, 'an aborted watch is not even sent').toHaveLength(1);
  });

  it('watch() lasts as long as agreed when nothing happens, and half a minute more before it counts as dead', async () => {
    const timers = manualTimers();
    const events = Promise.withResolvers<void>();
    const { client } = await setUp((_, response) => void response.writeHead(200).write(line('ADDED', object())), { timers });
    const options = { resourceVersion: '7', timeoutSeconds: 300, signal: new AbortController().signal };
    const ended = failure(client.watch(pods, options, () => events.resolve()));
    await events.promise;
    expect(timers.pending()).toEqual([330_000]);
    await timers.advance(330_000);
    expect(await ended).toBeInstanceOf(ConnectionError);
  });

  it('watch() rejects with just what the receiver threw when it throws', async () => {
    const { client } = await setUp((_, response) => void response.writeHead(200).write(line('ADDED', object())));
    const options = { resourceVersion: '7', timeoutSeconds: 300, signal: new AbortController().signal };
    const bug = new TypeError('bug');
    const ended = client.watch(pods, options, () => {
      throw bug;
    });
    expect(await failure(ended)).toBe(bug);
  });

  it('close() ends watches with ConnectionError when they are open', async () => {
    const started = Promise.withResolvers<void>();
    const { client } = await setUp((_, response) => void response.writeHead(200).write(line('ADDED', object())));
    const options = { resourceVersion: '7', timeoutSeconds: 300, signal: new AbortController().signal };
    const ended = failure(client.watch(pods, options, () => started.resolve()));
    await started.promise;
    await client.close();
    expect(await ended).toBeInstanceOf(ConnectionError);
  });
});
