import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '#lib/errors.ts';
import { unacceptedTeller } from '#lib/runtime/unaccepted.ts';
import { run } from '#lib/runtime.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { capturedLog } from '#test/unit/support/captured-log.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';
import { type KubeServer, startKubeServer } from './kube-server.ts';

const unauthorized = (status = 401): ApiError =>
  new ApiError('watch pods', { httpStatus: status, reason: 'Unauthorized', message: 'no' });

let kube: KubeServer;

beforeEach(async () => {
  kube = await startKubeServer((_request, response) => void response.writeHead(401).end('{}'));
});

afterEach(async () => kube.close());

describe('run() with credentials that the API server does not accept', () => {
  it('run() stays up, not ready, and asks again', async () => {
    const { promise: port, resolve } = Promise.withResolvers<number>();
    const silent = createLogger('silent');
    const info = (fields: object): void => void ('healthPort' in fields && resolve(Number(fields.healthPort)));
    const ending = new AbortController();
    const running = run({
      kinds: [shelf],
      env: kube.env,
      log: { ...silent, child: () => silent, info },
      signal: ending.signal,
    });
    const health = await Promise.race([port, running.then(() => 0)]);
    await expect.poll(() => kube.server.received.length).toBeGreaterThan(8);
    expect((await fetch(`http://127.0.0.1:${health}/readyz`)).status).toBe(503);
    expect((await fetch(`http://127.0.0.1:${health}/healthz`)).status).toBe(200);
    ending.abort();
    await running;
  });
});

describe('unacceptedTeller()', () => {
  it('unacceptedTeller() says so once a minute, however many watches fail, and nothing of other failures', async () => {
    const timers = new ManualTimers();
    const { log, lines } = capturedLog('info');
    const tell = unacceptedTeller({ credentials: { server: 'https://here', source: 'a file' }, log, timers });
    tell(unauthorized(403));
    for (let second = 0; second < 150; second += 1) {
      tell(unauthorized());
      tell(unauthorized());
      await timers.advance(1000);
    }
    expect(lines).toHaveLength(3);
    expect(lines[0]).toContain('the API server does not accept the credentials, reading them again');
  });
});
