import { get } from 'node:https';
import { describe, expect, it } from 'vitest';
import { ConnectionError } from '#lib/errors.ts';
import { MetricsAccess } from '#lib/runtime/metrics/access.ts';
import { metricsCertificate } from '#lib/runtime/metrics/certificate.ts';
import { processSettingsOf } from '#lib/runtime/settings.ts';
import { Registry } from '#lib/telemetry/metric.ts';
import { startMetricsServer } from '#lib/telemetry/metrics.ts';
import { ManualTimers, settle } from '#test/unit/support/manual-timers.ts';

/** An API server that accepts one token, and counts its requests. */
const reviews = (answer: () => Promise<void> = async () => undefined) => {
  const asked: string[] = [];
  const warnings: string[] = [];
  const timers = new ManualTimers();
  const request = async ({ resource, body }: { readonly resource: string; readonly body?: object }) => {
    asked.push(resource);
    await answer();
    const { token } = (body as { spec: { token?: string } }).spec;
    if (resource === 'tokenreviews')
      return { status: token === 'good' ? { authenticated: true, user: { username: 'p' } } : {} };
    return { status: { allowed: true } };
  };
  const log = { warn: (_fields: object, message: string) => void warnings.push(message) };
  const access = new MetricsAccess({ request: async (given) => request(given), timers, log });
  return { access, asked, timers, warnings };
};

describe('MetricsAccess', () => {
  it('MetricsAccess asks once a minute about a token, whatever came of it', async () => {
    const { access, asked, timers } = reviews();
    for (let count = 0; count < 5; count += 1) expect(await access.verdictOn('Bearer good')).toBe(200);
    expect(asked).toEqual(['tokenreviews', 'subjectaccessreviews']);
    for (let count = 0; count < 5; count += 1) expect(await access.verdictOn('Bearer bad')).toBe(401);
    expect(asked).toHaveLength(3);
    await timers.advance(60_000);
    expect(await access.verdictOn('Bearer good')).toBe(200);
    expect(asked).toHaveLength(5);
  });

  it('MetricsAccess asks nothing for a request without a token', async () => {
    const { access, asked } = reviews();
    for (const header of [undefined, '', 'Basic dTpw', 'Bearer', 'Bearer a b'])
      expect(await access.verdictOn(header)).toBe(401);
    expect(asked).toEqual([]);
  });

  it('MetricsAccess asks about four tokens at a time, and once for requests with the same one', async () => {
    const { access, asked } = reviews(async () => new Promise(() => undefined));
    for (let count = 0; count < 4; count += 1) void access.verdictOn('Bearer good');
    for (let count = 0; count < 20; count += 1) void access.verdictOn(`Bearer t${count}`);
    expect(await access.verdictOn('Bearer last')).toBe(503);
    await settle();
    expect(asked).toHaveLength(4);
  });

  it('MetricsAccess shows nothing while the API server cannot be asked, and asks again at once', async () => {
    let isDown = true;
    const { access, warnings } = reviews(async () => {
      if (isDown) throw new ConnectionError('no answer');
    });
    expect(await access.verdictOn('Bearer good')).toBe(503);
    expect(warnings).toEqual(['cannot ask the API server whether metrics may be read']);
    isDown = false;
    expect(await access.verdictOn('Bearer good')).toBe(200);
  });
});

/** The status code of a scrape over TLS. */
const statusOf = async (port: number, authorization?: string): Promise<number | undefined> => {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const headers = authorization === undefined ? {} : { authorization };
  const sent = get({ port, host: '127.0.0.1', path: '/metrics', rejectUnauthorized: false, headers }, (answer) => {
    answer.resume();
    resolve(answer.statusCode);
  });
  sent.on('error', reject);
  return promise;
};

describe('metrics behind authentication', () => {
  it('are shown by TLS alone, with the verdict as status', async () => {
    const { access } = reviews();
    const tls = metricsCertificate('operator-0', Date.now());
    const authorize = async (header: string | undefined) => access.verdictOn(header);
    const server = await startMetricsServer({ port: 0, registry: new Registry(), tls, authorize });
    try {
      expect(await statusOf(server.port, 'Bearer good')).toBe(200);
      expect(await statusOf(server.port, 'Bearer bad')).toBe(401);
      expect(await statusOf(server.port)).toBe(401);
      await expect(fetch(`http://127.0.0.1:${server.port}/metrics`)).rejects.toThrow('fetch failed');
    } finally {
      await server.close();
    }
  });

  it('settingsOf() takes METRICS_AUTHENTICATION as true or false, and refuses other words', () => {
    expect(processSettingsOf({}).metricsAuthentication).toBe(false);
    expect(processSettingsOf({ METRICS_AUTHENTICATION: 'true' }).metricsAuthentication).toBe(true);
    expect(
      processSettingsOf({ METRICS_AUTHENTICATION: 'true' }, { metricsAuthentication: false }).metricsAuthentication,
    ).toBe(false);
    expect(() => processSettingsOf({ METRICS_AUTHENTICATION: 'yes' })).toThrow(
      'METRICS_AUTHENTICATION is "yes": set it to true or false',
    );
  });
});
