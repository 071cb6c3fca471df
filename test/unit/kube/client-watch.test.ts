import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ConnectionError } from '#lib/errors.ts';
import type { WatchEvent } from '#lib/kube/interface/api.ts';
import { BrokenStreamError } from '#lib/kube/transport/malformed.ts';
import type { TransportOptions } from '#lib/kube/transport/request.ts';
import { type Answer, object, pods, setUp } from './client-fixture.ts';
import { failure } from './failure.ts';
import { sendStatus } from './http-server.ts';
import { manualTimers } from './manual-timers.ts';

const line = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;

const watchOf = async (answer: Answer, more: { signal?: AbortSignal; transport?: TransportOptions } = {}) => {
  const { server, client } = await setUp(answer, more.transport);
  const events: WatchEvent[] = [];
  const signal = more.signal ?? new AbortController().signal;
  const options = { namespace: 'default', resourceVersion: '7', timeoutSeconds: 300, signal };
  return { server, events, ended: client.watch(pods, options, (event) => events.push(event)) };
};

/** Events that arrive at once and keep the receiver busy. */
const busyWatch = async (end: (response: ServerResponse) => void, signal = new AbortController().signal) => {
  const large = object({ annotations: { filler: 'x'.repeat(100_000) } });
  const { client } = await setUp((_, response) => {
    response.writeHead(200);
    response.write(line('ADDED', large).repeat(6), () => end(response));
  });
  const turns: number[] = [];
  let turn = 0;
  const next = (): void => {
    turn += 1;
    timer = setImmediate(next);
  };
  let timer = setImmediate(next);
  const options = { namespace: 'default', resourceVersion: '7', timeoutSeconds: 300, signal };
  const ended = client.watch(pods, options, () => {
    turns.push(turn);
    const until = performance.now() + 10;
    while (performance.now() < until);
  });
  return { turns, ended: ended.finally(() => clearImmediate(timer)) };
};

describe('createKubeClient: watch', () => {
  it('watch() delivers all that comes at once, and leaves everything else its turn', async () => {
    const { turns, ended } = await busyWatch((response) => response.end());
    await ended;
    expect(turns).toHaveLength(6);
    // In each turn a stream takes the contents of its buffer: never more than two of these events.
    expect(new Set(turns).size).toBeGreaterThanOrEqual(3);
  });

  it('watch() ends when it is broken off in the middle of much that comes at once', async () => {
    const abort = new AbortController();
    const { turns, ended } = await busyWatch(() => abort.abort(), abort.signal);
    await ended;
    expect(turns.length).toBeLessThanOrEqual(6);
  });

  it('watch() rejects when the connection breaks behind much that comes at once', async () => {
    const { ended } = await busyWatch((response) => response.destroy());
    expect(await failure(ended)).toBeInstanceOf(ConnectionError);
  });

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
  ])('watch() rejects with ConnectionError when the stream $reason', async ({ text }) => {
    const { ended } = await watchOf((_, response) => void response.writeHead(200).end(text));
    expect(await failure(ended)).toBeInstanceOf(ConnectionError);
  });

  it('watch() rejects with ConnectionError when the connection breaks', async () => {
    const { events, ended } = await watchOf((_, response) => {
      response.writeHead(200);
      response.write(line('ADDED', object()), () => response.destroy());
    });
    expect(await failure(ended)).toBeInstanceOf(BrokenStreamError);
    expect(events).toHaveLength(1);
  });

  it('watch() says of a connection that breaks before the answer that none came', async () => {
    const { ended } = await watchOf((_, response) => void response.destroy());
    const error = await failure(ended);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).not.toBeInstanceOf(BrokenStreamError);
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
    const { client } = await setUp((_, response) => void response.writeHead(200).write(line('ADDED', object())), {
      timers,
    });
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
