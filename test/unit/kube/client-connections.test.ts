import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ConnectionError, NotSentError } from '#lib/errors.ts';
import type { WatchEvent } from '#lib/kube/interface/api.ts';
import { type Answer, connect, list, object, pods, serve, setUp, target } from './client-fixture.ts';
import { failure } from './failure.ts';
import { fixedCredentials } from './fixed-credentials.ts';
import { certificate, sendJson, sendStatus } from './http-server.ts';
import { manualTimers } from './manual-timers.ts';

describe('createKubeClient: connections', () => {
  it('list() reuses connections when requests follow each other', async () => {
    const { server, client } = await setUp((_, response) => sendJson(response, list()));
    for (let round = 0; round < 20; round += 1) await client.list(pods);
    // undici resolves an answer a moment before it considers the connection free, so there may be a second connection.
    expect(server.connections()).toBeLessThanOrEqual(2);
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

  it('abandon() breaks off what is under way and waits, watches too; what comes later is answered', async () => {
    let hangs = true;
    const arrived = Promise.withResolvers<void>();
    const { client, server } = await setUp(
      ({ url }, response) => {
        if (url.searchParams.has('watch')) response.writeHead(200).flushHeaders();
        else if (!hangs) sendJson(response, object());
        if (server.received.length >= 2) arrived.resolve();
      },
      { connections: 1 },
    );
    const options = { resourceVersion: '1', timeoutSeconds: 300, signal: new AbortController().signal };
    const failures = [
      failure(client.create(pods, object(), { namespace: 'default', fieldManager: 'test' })),
      failure(client.create(pods, object(), { namespace: 'default', fieldManager: 'test' })),
      failure(client.watch(pods, options, () => {})),
    ];
    await arrived.promise;
    await client.abandon();
    for (const error of await Promise.all(failures)) expect(error).toBeInstanceOf(ConnectionError);
    hangs = false;
    expect(await client.get(pods, target)).toMatchObject({ kind: 'Pod' });
  });

  it('create() counts its time from the moment at which it is sent, not while it waits for a connection', async () => {
    const timers = manualTimers();
    const waiting: ServerResponse[] = [];
    let arrived = Promise.withResolvers<void>();
    const { client } = await setUp(
      (_, response) => {
        waiting.push(response);
        arrived.resolve();
      },
      { connections: 1, writeTimeoutMs: 1000, timers },
    );
    const creates = [1, 2, 3].map(() => client.create(pods, object(), { namespace: 'default', fieldManager: 'test' }));
    for (const _ of creates) {
      await arrived.promise;
      arrived = Promise.withResolvers();
      expect(timers.pending()).toEqual([1000]);
      await timers.advance(900);
      sendJson(waiting.pop()!, object());
    }
    expect(await Promise.all(creates)).toHaveLength(3);
  });

  it('create() rejects with NotSentError when it is given up before it had a connection, not when it had one', async () => {
    const arrived = Promise.withResolvers<void>();
    const { client, server } = await setUp(() => arrived.resolve(), { connections: 1 });
    const [first, second] = [1, 2].map(() =>
      failure(client.create(pods, object(), { namespace: 'default', fieldManager: 'test' })),
    );
    await arrived.promise;
    await client.abandon();
    expect(await first).not.toBeInstanceOf(NotSentError);
    expect(await second).toBeInstanceOf(NotSentError);
    expect(server.received).toHaveLength(1);
  });

  it('create() rejects with NotSentError when nothing listens', async () => {
    const server = await serve(() => {});
    await server.close();
    const client = connect(fixedCredentials(server.url));
    const error = await failure(client.create(pods, object(), { namespace: 'default', fieldManager: 'test' }));
    expect(error).toBeInstanceOf(NotSentError);
    expect(error.message).toContain('ECONNREFUSED');
  });

  it('list() trusts the authority it is given when the server speaks TLS, by IPv4 and IPv6 and name', async () => {
    for (const host of ['127.0.0.1', '::1', 'localhost']) {
      const server = await serve((_, response) => sendJson(response, list()), { tls: true, host });
      const page = await connect(fixedCredentials(server.url, undefined, { ca: certificate })).list(pods);
      expect(page.resourceVersion).toBe('9');
    }
  });

  it.each([
    { reason: 'no known CA signed it', tls: {}, code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    {
      reason: 'it is for other names',
      tls: { ca: certificate, servername: 'other' },
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    },
  ])('list() rejects with ConnectionError when the certificate is wrong: $reason', async ({ tls, code }) => {
    const server = await serve((_, response) => sendJson(response, list()), { tls: true });
    const error = await failure(connect(fixedCredentials(server.url, 'secret-token', tls)).list(pods));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toContain(code);
  });

  it('list() verifies another name, or nothing, when set so', async () => {
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

const guarded: Answer = ({ headers, url }, response) => {
  if (headers.authorization !== 'Bearer new') sendStatus(response, { code: 401, reason: 'Unauthorized' });
  else if (url.searchParams.has('watch')) response.writeHead(200).end();
  else sendJson(response, list());
};

describe('createKubeClient: renewal', () => {
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
