import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { ReconcileError } from '#lib/errors.ts';
import { createPlainClient } from '#lib/kube/client/plain-client.ts';
import { loadCredentials } from '#lib/kube/credentials/credentials.ts';
import { startReflector } from '#lib/kube/reflector/reflector.ts';
import type { Reflector } from '#lib/kube/reflector/types.ts';
import { WatchLists } from '#lib/kube/reflector/watch-list.ts';
import { connect, list, object, pods, serve, target } from './client-fixture.ts';
import { at, inPod, put } from './credentials-fixture.ts';
import { failure } from './failure.ts';
import { certificate, rotatedCertificate, sendJson } from './http-server.ts';
import { manualTimers } from './manual-timers.ts';

/** Time that a watch may last beyond its agreed end, in milliseconds. */
const GRACE_MS = 30_000;

interface Watch {
  readonly token: string | undefined;
  readonly agreedMs: number;
  readonly response: ServerResponse;
}

/** Values that arrive one after the other, for tests that wait for them. */
class Arrivals<T> {
  readonly #arrived: T[] = [];
  #wake: () => void = () => undefined;

  push(item: T): void {
    this.#arrived.push(item);
    this.#wake();
  }

  async next(): Promise<T> {
    for (;;) {
      const item = this.#arrived.shift();
      if (item !== undefined) return item;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }
}

const running: Reflector[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map(async (reflector) => reflector.stop()));
});

/** A server with TLS, and a pod's credentials for it. */
const inCluster = async () => {
  const watches = new Arrivals<Watch>();
  const server = await serve(
    ({ url, headers }, response) => {
      if (url.pathname.endsWith(target.name)) return sendJson(response, object());
      if (!url.searchParams.has('watch')) return sendJson(response, list());
      response.writeHead(200).flushHeaders();
      const agreedMs = Number(url.searchParams.get('timeoutSeconds')) * 1000;
      return watches.push({ token: headers.authorization, agreedMs, response });
    },
    { tls: true },
  );
  await put('token', 'old');
  await put('ca.crt', certificate);
  const timers = manualTimers();
  const { hostname, port } = new URL(server.url);
  const env = inPod({ KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port });
  const credentials = await loadCredentials({ env, serviceAccountDir: at(), now: () => timers.now() });
  const rotate = async (): Promise<void> => {
    server.rotate();
    await put('token', 'new');
    await put('ca.crt', rotatedCertificate);
  };
  return { server, watches, timers, credentials, rotate };
};

type Ground = Awaited<ReturnType<typeof inCluster>>;

/** A reflector that follows the server. Each of its failures is recorded with the delay after it. */
const follow = ({ credentials, timers }: Ground) => {
  const failures = new Arrivals<{ readonly error: ReconcileError; readonly retryInMs: number }>();
  const reflector = startReflector({
    api: connect(credentials, { timers }),
    resource: pods,
    timers,
    random: () => 0,
    sink: { replace: () => undefined, event: () => undefined },
    onError: (error, retryInMs) => failures.push({ error, retryInMs }),
    watchLists: new WatchLists({ isOff: true }),
  });
  running.push(reflector);
  return failures;
};

describe('rotation of tokens and authorities', () => {
  it('a watch under way ends when agreed, and the next one shows the new token to a server with a new authority', async () => {
    const ground = await inCluster();
    follow(ground);
    const first = await ground.watches.next();
    expect(first.token).toBe('Bearer old');
    await ground.rotate();
    await ground.timers.advance(first.agreedMs);
    first.response.end();
    expect(await ground.watches.next()).toMatchObject({ token: 'Bearer new' });
    expect(ground.server.connections()).toBe(3);
  });

  it('a watch under way that the server does not end is ended 30 s later, and the next one uses what is new', async () => {
    const ground = await inCluster();
    const failures = follow(ground);
    const first = await ground.watches.next();
    await ground.rotate();
    await ground.timers.advance(first.agreedMs + GRACE_MS - 1);
    expect(first.response.destroyed).toBe(false);
    await ground.timers.advance(1);
    const { error, retryInMs } = await failures.next();
    expect(error.message).toContain('did not answer in time');
    await ground.timers.advance(retryInMs);
    expect(await ground.watches.next()).toMatchObject({ token: 'Bearer new' });
  });

  it('a watch that breaks when the authority changes goes on without waiting for the next look at the files', async () => {
    const ground = await inCluster();
    const failures = follow(ground);
    const first = await ground.watches.next();
    await ground.rotate();
    first.response.destroy();
    const { retryInMs } = await failures.next();
    expect(retryInMs).toBeLessThan(60_000);
    await ground.timers.advance(retryInMs);
    expect(await ground.watches.next()).toMatchObject({ token: 'Bearer new' });
  });

  it('get() of a plain client goes through when the authority has just changed', async () => {
    const { credentials, rotate } = await inCluster();
    await rotate();
    const client = createPlainClient(credentials, { timeoutMs: 10_000 });
    expect(await client.get(pods, target)).toEqual(object());
    client.close();
  });

  it('list() rejects after one look at the files when no CA in the files matches the server', async () => {
    const { server, credentials } = await inCluster();
    server.rotate();
    const error = await failure(connect(credentials).list(pods));
    expect(error.message).toContain('did not sign');
    expect(server.received).toEqual([]);
  });
});
