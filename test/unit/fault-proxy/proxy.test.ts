import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { createKubeClient, type KubeClient } from '#lib/kube/client/client.ts';
import type { WatchEvent } from '#lib/kube/interface/api.ts';
import type { Fault, Rule } from '#test/fault-proxy/fault.ts';
import { scripted } from '#test/fault-proxy/plans.ts';
import { type FaultProxy, type FaultProxyOptions, startFaultProxy } from '#test/fault-proxy/proxy.ts';
import { list, object, pods, serve, target } from '../kube/client-fixture.ts';
import { certificate, type Received, sendJson } from '../kube/http-server.ts';

const key = readFileSync(fileURLToPath(new URL('../kube/localhost.key.pem', import.meta.url)), 'utf8');

const running: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const item of running.splice(0).toReversed()) await item.close();
});

/** Long limit: for requests that get an answer. */
const LONG_MS = 60_000;
const SHORT_MS = 300;

interface Bench {
  readonly proxy: FaultProxy;
  readonly client: KubeClient;
  /** A client with a short time-out. */
  readonly hasty: KubeClient;
  readonly received: readonly Received[];
}

const version = { resourceVersion: '5' };
const event = (resourceVersion: string): string =>
  `${JSON.stringify({ type: 'MODIFIED', object: object({ resourceVersion }) })}\n`;

/**
 * A server that answers each request and sends an event each 5 ms to a watch, a proxy in front of it, and a client of the
 * proxy.
 */
const setUp = async (rules: readonly Rule[], options: FaultProxyOptions = {}): Promise<Bench> => {
  let lists = 0;
  const server = await serve(
    (request, response) => {
      if (request.url.searchParams.has('watch')) {
        let sent = 10;
        response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
        const timer = setInterval(() => response.write(event(String((sent += 1)))), 5);
        response.on('close', () => clearInterval(timer));
      } else if (request.method === 'GET' && request.url.pathname.endsWith('/pods')) {
        lists += 1;
        sendJson(response, { ...list(), metadata: { resourceVersion: String(lists) } });
      } else {
        sendJson(response, object());
      }
    },
    { tls: true },
  );
  const behind = { url: server.url, ca: certificate, cert: certificate, key };
  const proxy = await startFaultProxy(behind, { plan: scripted(rules), ...options });
  running.push({ close: proxy.stop });
  const authentication = { headers: {}, tls: { ca: certificate } };
  const connect = (requestTimeoutMs: number): KubeClient => {
    const client = createKubeClient(
      {
        server: proxy.url,
        namespace: 'default',
        source: 'test',
        authenticate: async () => authentication,
        renew: async () => {},
      },
      { requestTimeoutMs },
    );
    running.push(client);
    return client;
  };
  return { proxy, client: connect(LONG_MS), hasty: connect(SHORT_MS), received: server.received };
};

const whenever = (fault: Fault): readonly Rule[] => [{ on: {}, do: fault }];
const writing = { fieldManager: 'test' } as const;

const watching = (client: KubeClient, atEvent: (count: number) => void = () => {}, signal?: AbortSignal) => {
  const events: WatchEvent[] = [];
  const stop = new AbortController();
  const done = client
    .watch(pods, { ...version, timeoutSeconds: 60, signal: signal ?? stop.signal }, (one) => {
      events.push(one);
      atEvent(events.length);
    })
    .then(
      () => 'ended',
      (error: unknown) => error,
    );
  return { events, done, stop: () => stop.abort() };
};

/**
 * Sends a request over the single connection of an agent, so that the connection in use is known. @returns the status
 */
const answered = async (proxy: FaultProxy, agent: Agent, withinMs = LONG_MS): Promise<number | undefined> => {
  const sent = request(`${proxy.url}/api/v1/pods`, { agent, signal: AbortSignal.timeout(withinMs) }).end();
  try {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    return response.statusCode;
  } catch (error) {
    throw new Error('timeout', { cause: error });
  }
};

const confined = (path: string): string => path.replace('/api/v1/pods', '/api/v1/namespaces/only/pods');

describe('startFaultProxy()', () => {
  it('passes requests and answers on when nothing is planned, and records them', async () => {
    const { client, proxy, received } = await setUp([]);
    await client.create(pods, object(), { ...writing, namespace: 'default' });
    expect(await client.get(pods, target)).toEqual(object());
    expect(received.map(({ method, body }) => [method, body.length > 0])).toEqual([
      ['POST', true],
      ['GET', false],
    ]);
    expect(proxy.decisions).toMatchObject([
      { call: { seq: 1, verb: 'create', resource: 'pods', namespace: 'default', nth: 1 }, status: 200 },
      { call: { seq: 2, verb: 'get', resource: 'pods', name: 'web', nth: 1 }, status: 200 },
    ]);
  });

  it('cuts the connection without asking the server when a request is dropped before', async () => {
    const { client, received } = await setUp(whenever({ fault: 'dropBefore' }));
    await expect(client.create(pods, object(), writing)).rejects.toMatchObject({ name: 'ConnectionError' });
    expect(received).toEqual([]);
  });

  it('cuts the connection after the server has answered when a request is dropped after', async () => {
    const { client, received, proxy } = await setUp(whenever({ fault: 'dropAfter' }));
    await expect(client.create(pods, object(), writing)).rejects.toMatchObject({ name: 'ConnectionError' });
    expect(received).toHaveLength(1);
    expect(proxy.decisions[0]).toMatchObject({ status: 200 });
  });

  it.each(['before', 'after'] as const)('calls kill %s the server is asked, then cuts', async (when) => {
    const seen: number[] = [];
    const bench: { received: readonly Received[] } = { received: [] };
    const kill = async (): Promise<void> => void seen.push(bench.received.length);
    const { client, received } = await setUp(whenever({ fault: 'kill', when }), { kill });
    bench.received = received;
    await expect(client.create(pods, object(), writing)).rejects.toMatchObject({ name: 'ConnectionError' });
    expect(seen).toEqual([when === 'before' ? 0 : 1]);
  });

  it('answers in place of the server, with the seconds to wait', async () => {
    const { client, received } = await setUp(whenever({ fault: 'answer', code: 429, retryAfterSeconds: 2 }));
    await expect(client.get(pods, target)).rejects.toMatchObject({
      httpStatus: 429,
      code: 'TooManyRequests',
      retryAfterMs: 2000,
    });
    expect(received).toEqual([]);
  });

  it('acknowledges and keeps silent when a request is half-open', async () => {
    const { client, hasty, received } = await setUp([{ on: { nth: 1 }, do: { fault: 'halfOpen' } }]);
    await expect(hasty.get(pods, target)).rejects.toThrow('did not answer in time');
    expect(received).toEqual([]);
    expect(await client.get(pods, target)).toEqual(object());
  });

  it('answers a list from before when it is to be stale', async () => {
    const { client } = await setUp([{ on: { verb: 'list', nth: 3 }, do: { fault: 'staleList', back: 2 } }]);
    const seen: string[] = [];
    for (let index = 0; index < 4; index += 1) seen.push((await client.list(pods)).resourceVersion);
    expect(seen).toEqual(['1', '2', '1', '4']);
  });

  it('passes the events of a watch on, and ends it at the server when the caller ends it', async () => {
    const { client, proxy } = await setUp([]);
    const watch = watching(client, (count) => count === 3 && watch.stop());
    expect(await watch.done).toBe('ended');
    expect(watch.events).toHaveLength(3);
    await expect.poll(() => proxy.streams()).toEqual([]);
  });

  it('cuts a watch after so many events', async () => {
    const { client } = await setUp(whenever({ fault: 'cutStream', afterEvents: 2 }));
    const watch = watching(client);
    expect(await watch.done).toMatchObject({ name: 'BrokenStreamError' });
    expect(watch.events).toHaveLength(2);
  });

  it('ends a watch with an error event', async () => {
    const { client } = await setUp(whenever({ fault: 'endStream', afterEvents: 1 }));
    expect(await watching(client).done).toMatchObject({ httpStatus: 410, code: 'Expired' });
  });

  it('keeps a watch open without events when it is half-open', async () => {
    const { client, proxy } = await setUp([{ on: { verb: 'watch' }, do: { fault: 'halfOpen', afterEvents: 2 } }]);
    const watch = watching(client);
    await expect.poll(() => watch.events.length).toBe(2);
    await client.get(pods, target);
    await client.get(pods, target);
    expect(watch.events).toHaveLength(2);
    expect(proxy.decisions).toHaveLength(3);
    watch.stop();
    await watch.done;
  });

  it('keeps events back, in their order, until they are let go', async () => {
    const { client, proxy } = await setUp([]);
    const watch = watching(client);
    await expect.poll(() => watch.events.length).toBeGreaterThan(0);
    const letGo = proxy.streams()[0]?.hold();
    await client.get(pods, target);
    const before = watch.events.length;
    await client.get(pods, target);
    expect(watch.events.length).toBe(before);
    letGo?.();
    await expect.poll(() => watch.events.length).toBeGreaterThan(before + 2);
    const versions = watch.events.map((one) => (one.type === 'BOOKMARK' ? '' : one.object.metadata.resourceVersion));
    expect(versions).toEqual(versions.map((_, index) => String(11 + index)));
    watch.stop();
    await watch.done;
  });

  it('silences all connections that are open, and only those', async () => {
    const { client, proxy, received } = await setUp([]);
    const watch = watching(client);
    await expect.poll(() => watch.events.length).toBeGreaterThan(0);
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: certificate });
    await answered(proxy, agent);
    proxy.silenceConnections();
    // Data on its way still arrives while this request times out.
    await expect(answered(proxy, agent, SHORT_MS)).rejects.toThrow('timeout');
    expect(received).toHaveLength(2);
    const { length } = watch.events;
    expect(await answered(proxy, agent)).toBe(200);
    expect(watch.events).toHaveLength(length);
    watch.stop();
    await watch.done;
  });

  it('rewrites what is asked for before anything else looks at it', async () => {
    const { client, received, proxy } = await setUp([], { rewrite: confined });
    await client.list(pods);
    expect(received[0]?.url.pathname).toBe('/api/v1/namespaces/only/pods');
    expect(proxy.decisions[0]?.call.namespace).toBe('only');
  });
});
