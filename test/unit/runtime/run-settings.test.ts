import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigurationError } from '#lib/errors.ts';
import { leaseTimesOf } from '#lib/loop/election/times.ts';
import { clientOptionsOf, writeTimeoutOf } from '#lib/runtime/lease/time-limits.ts';
import { type RunOptions, run } from '#lib/runtime.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';
import { type KubeServer, startKubeServer } from './kube-server.ts';

let kube: KubeServer;

beforeEach(async () => {
  kube = await startKubeServer((_request, response) => void response.writeHead(404).end('{}'));
});

afterEach(async () => kube.close());

/** Runs an operator until it has started, and returns its metrics. */
const metricsOf = async (options: Partial<RunOptions>): Promise<string> => {
  const { promise: port, resolve } = Promise.withResolvers<number>();
  const ending = new AbortController();
  const silent = createLogger('silent');
  const log = {
    ...silent,
    child: () => silent,
    info: (fields: object) => 'metricsPort' in fields && resolve(Number(fields.metricsPort)),
  };
  const running = run({ kinds: [shelf], env: kube.env, log, signal: ending.signal, ...options });
  const metrics = await Promise.race([port, running.then(() => 0)]);
  const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
  ending.abort();
  await running;
  return text;
};

const workers = (count: number): string => `controller_runtime_max_concurrent_reconciles{controller="shelf"} ${count}`;

describe('the settings of run()', () => {
  it('run() works on as many resources at once as concurrency or CONCURRENCY says', async () => {
    expect(await metricsOf({})).toContain(workers(16));
    expect(await metricsOf({ concurrency: 3 })).toContain(workers(3));
    expect(await metricsOf({ env: { ...kube.env, CONCURRENCY: '5' } })).toContain(workers(5));
  });

  it.each([
    { options: { connections: 0 }, says: 'connections is 0' },
    { options: { events: 'loud' as never }, says: 'events is "loud"' },
    { options: { concurrency: '16' as never }, says: 'concurrency is "16": set it to a whole number from 1 to 256' },
    {
      options: { metricsAuthentication: 'no' as never },
      says: 'metricsAuthentication is "no": set it to true or false',
    },
    { options: { leaderElection: 'false' as never }, says: 'leaderElection is "false": set it to true, false or its' },
    {
      options: { effects: { metricHosts: 'prometheus:9090' as never } },
      says: 'effects.metricHosts is "prometheus:9090": set it to a list of texts',
    },
    {
      options: { effects: { webhookHosts: [1] as never } },
      says: 'effects.webhookHosts is [1]: set it to a list of texts',
    },
    { options: { effects: null as never }, says: 'effects is null: set it to lists of hosts' },
    { options: { effects: 'x' as never }, says: 'effects is "x": set it to lists of hosts' },
    { options: { effects: { prometheusUrl: 5 as never } }, says: 'effects.prometheusUrl is 5: it is no text' },
    { options: { kinds: undefined as never }, says: 'kinds is undefined: set it to a list of definitions' },
    { options: { kinds: 'x' as never }, says: 'kinds is "x": set it to a list of definitions' },
    { options: { kinds: [null] as never }, says: 'kinds[0] is null: set it to a list of definitions' },
    ...['0x10', '1e1', ' 15', '0', 'x'].map((text) => ({
      options: { leaderElection: true, env: { LEASE_DURATION_SECONDS: text } },
      says: /^(LEASE_DURATION_SECONDS is|The lease duration is) .*to a whole number from 1 to 3600/,
    })),
    { options: { writeTimeoutSeconds: 11, leaderElection: true }, says: 'The write timeout is 11 seconds' },
  ])('run() refuses $options before it asks the API server anything', async ({ options, says }) => {
    const env = { ...kube.env, ...('env' in options && options.env) };
    const running = run({ kinds: [shelf], log: createLogger('silent'), ...options, env });
    await expect(running).rejects.toThrow(says);
    await expect(running).rejects.toBeInstanceOf(ConfigurationError);
    expect(kube.server.received).toEqual([]);
  });
});

describe('writeTimeoutOf()', () => {
  it('writeTimeoutOf() keeps writes within the lease, and without one to 30 s', () => {
    const candidacy = { times: leaseTimesOf(15) };
    expect([writeTimeoutOf({}), writeTimeoutOf({}, candidacy)]).toEqual([30_000, 10_000]);
    expect(writeTimeoutOf({ writeTimeoutSeconds: 10 }, candidacy)).toBe(10_000);
    expect(writeTimeoutOf({ writeTimeoutSeconds: 60 })).toBe(60_000);
    expect(() => writeTimeoutOf({ writeTimeoutSeconds: 11 }, candidacy)).toThrow(ConfigurationError);
  });

  it('clientOptionsOf() sets what is set', () => {
    expect(clientOptionsOf({})).toEqual({});
    expect(clientOptionsOf({ connections: 4, readTimeoutSeconds: 60 })).toEqual({
      connections: 4,
      requestTimeoutMs: 60_000,
    });
  });
});
