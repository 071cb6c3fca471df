import { afterEach, describe, expect, it } from 'vitest';
import { ConnectionError } from '#lib/errors.ts';
import type { HttpRequest } from '#lib/kube/interface/http.ts';
import { isLocalAddress } from '#lib/kube/transport/address.ts';
import { createHttpClient, type HttpClient, type Resolve } from '#lib/kube/transport/http-client.ts';
import { type HttpServer, startHttpServer } from './http-server.ts';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const serverThat = async (answer: Parameters<typeof startHttpServer>[0]): Promise<HttpServer> => {
  const server = await startHttpServer(answer);
  closers.push(async () => server.close());
  return server;
};

const client = (options: Parameters<typeof createHttpClient>[0] = {}): HttpClient => {
  const made = createHttpClient(options);
  closers.push(async () => made.close());
  return made;
};

/** A resolver that returns this address for every name. */
const leadingTo =
  (...addresses: string[]): Resolve =>
  (_hostname, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

const requestTo = (url: string, rest: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'GET',
  url: new URL(url),
  headers: {},
  maxBytes: 65_536,
  signal: new AbortController().signal,
  ...rest,
});

describe('createHttpClient()', () => {
  it('perform() sends method, path, headers and body, and gives status and body', async () => {
    const server = await serverThat((_, response) => response.writeHead(201).end('done'));
    const request = requestTo(`${server.url}/a?b=1`, {
      method: 'POST',
      headers: { 'idempotency-key': 'u/k' },
      body: '{}',
    });
    expect(await client().perform(request)).toEqual({ status: 201, body: 'done' });
    expect(server.received).toMatchObject([{ method: 'POST', body: '{}', headers: { 'idempotency-key': 'u/k' } }]);
    expect(server.received[0]?.url.search).toBe('?b=1');
  });

  it('perform() follows no redirect and names its target', async () => {
    const server = await serverThat((_, response) => response.writeHead(302, { location: '/elsewhere' }).end());
    expect(await client().perform(requestTo(server.url))).toEqual({ status: 302, body: '', location: '/elsewhere' });
    expect(server.received).toHaveLength(1);
  });

  it('perform() cuts an answer that never ends, and lets go of the connection', async () => {
    const server = await serverThat((_, response) => {
      const more = (): void => {
        if (!response.destroyed) response.write('x'.repeat(10_000), more);
      };
      more();
    });
    const { body, isCut } = await client().perform(requestTo(server.url));
    expect({ body, isCut }).toEqual({ body: 'x'.repeat(65_536), isCut: true });
    await expect.poll(() => server.open()).toBe(0);
  });

  it('perform() takes an answer of just the most for whole', async () => {
    const server = await serverThat((_, response) => response.end('x'.repeat(65_536)));
    const answer = await client().perform(requestTo(server.url));
    expect(answer).toEqual({ status: 200, body: 'x'.repeat(65_536) });
  });

  it('perform() cuts between characters', async () => {
    const server = await serverThat((_, response) => response.end('€€€'));
    expect((await client().perform(requestTo(server.url, { maxBytes: 8 }))).body).toBe('€€');
  });

  it('perform() decompresses nothing, so that little cannot become much', async () => {
    const server = await serverThat((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('raw'),
    );
    expect((await client().perform(requestTo(server.url))).body).toBe('raw');
    expect(server.received[0]?.headers['accept-encoding']).toBe('identity');
  });

  it('perform() rejects with ConnectionError when it is aborted', async () => {
    const server = await serverThat(() => undefined);
    const abort = new AbortController();
    const answer = client().perform(requestTo(server.url, { signal: abort.signal }));
    await expect.poll(() => server.received.length).toBe(1);
    abort.abort();
    await expect(answer).rejects.toBeInstanceOf(ConnectionError);
  });

  it.each([
    '127.0.0.1',
    '127.9.9.9',
    '0.0.0.0',
    '169.254.169.254',
    '::1',
    'fe80::1',
    '::ffff:127.0.0.1',
    '::ffff:169.254.169.254',
  ])('perform() connects to nothing when a name leads to %s', async (address) => {
    const server = await serverThat((_, response) => response.end('reached'));
    const { port } = new URL(server.url);
    const { perform } = client({ resolve: leadingTo(address) });
    await expect(perform(requestTo(`http://rebound.example.com:${port}/`))).rejects.toBeInstanceOf(ConnectionError);
    expect(server.connections()).toBe(0);
  });

  it('perform() connects to localhost and to addresses: an allowed name includes them', async () => {
    const server = await serverThat((_, response) => response.end('reached'));
    const { port } = new URL(server.url);
    const { perform } = client({ resolve: leadingTo('169.254.169.254') });
    expect((await perform(requestTo(`http://127.0.0.1:${port}/`))).body).toBe('reached');
    expect((await perform(requestTo(`http://localhost:${port}/`))).body).toBe('reached');
  });

  it('perform() names neither host nor path nor headers in what it rejects with', async () => {
    const { perform } = client({
      resolve: (_h, _o, callback) => callback(new Error('getaddrinfo secret.example.com'), []),
    });
    const headers = { authorization: 'Bearer s3cr3t' };
    const error: unknown = await perform(requestTo('http://secret.example.com/s3cr3t', { headers })).catch(
      (it: unknown) => it,
    );
    expect(error).toBeInstanceOf(ConnectionError);
    expect(
      `${JSON.stringify(error)} ${String(error)} ${(error as Error).stack} ${String((error as Error).cause)}`,
    ).not.toMatch(/s3cr3t|example\.com/);
  });
});

describe('isLocalAddress()', () => {
  it.each([
    ['10.0.0.1', false],
    ['192.168.1.1', false],
    ['172.16.0.1', false],
    ['93.184.216.34', false],
    ['fd00::1', false],
    ['2606:2800::1', false],
    ['127.0.0.1', true],
    ['169.254.169.254', true],
    ['0.0.0.0', true],
    ['224.0.0.1', true],
    ['255.255.255.255', true],
    ['::', true],
    ['::1', true],
    ['fe80::1', true],
    ['ff02::1', true],
    ['::ffff:127.0.0.1', true],
    ['::ffff:10.0.0.1', false],
    ['64:ff9b::127.0.0.1', true],
    ['64:ff9b::a9fe:a9fe', true],
    ['64:ff9b::10.0.0.1', false],
    ['64:ff9b::5db8:d822', false],
    ['64:ff9b::100.100.100.200', true],
    ['::ffff:7f00:1', true],
    ['::ffff:169.254.169.254', true],
    ['::127.0.0.1', true],
    ['::a9fe:a9fe', true],
    ['::10.0.0.1', false],
    ['2002:7f00:1::', true],
    ['2002:7fff:ffff:1::1', true],
    ['2002:a9fe:a9fe::1', true],
    ['2002:6464:64c8::', true],
    ['2002:a00:1::', false],
    ['2002:5db8:d822::', false],
    ['fd00:ec2::254', true],
    ['fd20:ce::254', true],
    ['100.100.100.200', true],
    ['168.63.129.16', true],
  ])('isLocalAddress() of %s is %s', (address, local) => {
    expect(isLocalAddress(address)).toBe(local);
  });
});
