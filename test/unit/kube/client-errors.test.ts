import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ApiError, ConfigurationError, ConnectionError } from '#lib/errors.ts';
import { createKubeClient } from '#lib/kube/client/client.ts';
import { connect, list, object, pods, serve, setUp, target } from './client-fixture.ts';
import { failure } from './failure.ts';
import { fixedCredentials } from './fixed-credentials.ts';
import { type Received, sendJson, sendStatus } from './http-server.ts';
import { manualTimers } from './manual-timers.ts';

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

  it.each(['authenticate', 'renew'] as const)('list() rejects in time when %s() hangs', async (method) => {
    const server = await serve((_, response) => sendStatus(response, { code: 401, reason: 'Unauthorized' }));
    const { promise } = Promise.withResolvers<never>();
    const hanging = { ...fixedCredentials(server.url, 'secret-token'), [method]: () => promise };
    const error = await failure(connect(hanging, { requestTimeoutMs: 50 }).list(pods));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toContain('did not answer in time');
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
    expect(error.message).toMatch(
      /no-such-host\.invalid:6443 has a host name that cannot be resolved.*\((ENOTFOUND|EAI_AGAIN)\)/,
    );
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
