import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { createPlainClient, type PlainClient } from '#lib/kube/client/plain-client.ts';
import { type Answer, object, pods, serve, target } from './client-fixture.ts';
import { failure } from './failure.ts';
import { fixedCredentials } from './fixed-credentials.ts';

const open: PlainClient[] = [];
afterEach(() => open.splice(0).forEach((client) => client.close()));

const plainClientOf = async (answer: Answer, timeoutMs = 60_000): Promise<PlainClient> => {
  const { url } = await serve(answer);
  const client = createPlainClient(fixedCredentials(url, 'secret-token'), { timeoutMs });
  open.push(client);
  return client;
};

describe('createPlainClient', () => {
  it('get() rejects without the token when a proxy answers with HTML that repeats it', async () => {
    const client = await plainClientOf(({ headers }, response) => {
      response.writeHead(502, { 'content-type': 'text/html' }).end(`<h1>Bad Gateway</h1>${headers.authorization}`);
    });
    const error = await failure(client.get(pods, target));
    expect(error).toMatchObject({ httpStatus: 502, serverMessage: 'Bad Gateway Bearer [redacted]' });
  });

  it('get() rejects when the server begins an answer and does not end it', async () => {
    const client = await plainClientOf((_, response) => void response.writeHead(200).write('{"kind":'), 200);
    expect((await failure(client.get(pods, target))).message).toContain('did not answer in time');
  });

  it('get() sends no second attempt when its time ends while the credentials are renewed', async () => {
    const timeoutMs = 200;
    const server = await serve((_, response) => {
      const isFirst = server.received.length === 1;
      response.writeHead(isFirst ? 401 : 200).end(JSON.stringify(isFirst ? {} : object()));
    });
    const credentials = fixedCredentials(server.url, 'old-token');
    const renew = async (): Promise<void> => {
      await once(AbortSignal.timeout(timeoutMs), 'abort');
      credentials.next = 'new-token';
      await credentials.renew();
    };
    const client = createPlainClient({ ...credentials, renew }, { timeoutMs });
    open.push(client);
    expect((await failure(client.get(pods, target))).message).toContain('did not answer in time');
    expect(server.received.length).toBeLessThan(2);
  });
});
