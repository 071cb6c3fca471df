import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ApiError, ConfigurationError, type ReconcileError } from '#lib/errors.ts';
import type { KubeApi } from '#lib/kube/api.ts';
import type { Credentials } from '#lib/kube/authentication.ts';
import { createKubeClient } from '#lib/kube/client.ts';
import { loadCredentials } from '#lib/kube/credentials.ts';
import { systemTimers } from '#lib/kube/timers.ts';
import { startManager } from '#lib/loop/manager.ts';
import type { LoopMetrics } from '#lib/loop/metrics.ts';
import { namespacesIn } from '#lib/loop/source/namespaces.ts';
import { startHealthServer } from '#lib/telemetry/health.ts';
import { createLogger, type Logger, logLevelOf } from '#lib/telemetry/log.ts';
import { createLoopMetrics } from '#lib/telemetry/loop-metrics.ts';
import { Registry } from '#lib/telemetry/metric.ts';
import { startMetricsServer } from '#lib/telemetry/metrics.ts';
import { addProcessMetrics } from '#lib/telemetry/process-metrics.ts';
import { createRequestMetrics } from '#lib/telemetry/request-metrics.ts';

/** What to run, and how to end it. */
export interface RunOptions {
  /** The kinds to reconcile. */
  readonly kinds: readonly AnyKindDefinition[];
  /** Settings: `KUBECONFIG`, `HEALTH_PORT` (8081) and `METRICS_PORT` (8080; 0 takes a free one), `LOG_LEVEL` (info), `WATCH_NAMESPACE` (all). @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The only namespaces to look at and to work in. @default those of `WATCH_NAMESPACE`, as in `team-a,team-b`; without it all */
  readonly namespaces?: readonly string[];
  /** Ends the run as SIGTERM does. */
  readonly signal?: AbortSignal;
  /** @default JSON lines on standard output */
  readonly log?: Logger;
}

const DEFAULT_PORTS = { HEALTH_PORT: 8081, METRICS_PORT: 8080 };

/** How long passes under way may take to end after SIGTERM; controller-runtime waits as long. */
const DRAIN_MS = 30_000;

const portOf = (name: keyof typeof DEFAULT_PORTS, text: string | undefined): number => {
  if (text === undefined || text === '') return DEFAULT_PORTS[name];
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new ConfigurationError(`${name} is "${text}": set it to a TCP port from 0 to 65535`);
};

/** Resolves when the process is told to end. Without a handler a process with pid 1 would not hear SIGTERM at all. */
const endOf = (
  signal: AbortSignal | undefined,
): { readonly ended: Promise<string>; readonly unsubscribe: () => void } => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const onSignal = (name: string): void => resolve(name);
  const onAbort = (): void => resolve('abort');
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort);
  const unsubscribe = (): void => {
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal);
    signal?.removeEventListener('abort', onAbort);
  };
  return { ended: promise, unsubscribe };
};

const drained = async (work: Promise<void>, log: Logger): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = systemTimers.setTimer(DRAIN_MS, () => {
    log.error({ afterMs: DRAIN_MS }, 'passes did not end in time, leaving them');
    resolve();
  });
  await Promise.race([work, promise]);
  cancel();
};

/**
 * Runs the operator until it is told to end: what a container's entry point calls.
 *
 * Flow: settings → credentials → caches → loop; SIGTERM or SIGINT → no new passes → passes under way end → resolves.
 *
 * Guarantees: an API server that cannot be reached, a CRD or a right that is missing is waited for, with a line in the log
 * each time. `/healthz` and `/readyz` are served from the start. cdk8s is never loaded.
 *
 * Assumptions: no other process reconciles the same kinds; the Deployment of `Operator` sees to it.
 *
 * Caveats: installs handlers for SIGTERM and SIGINT while it runs.
 *
 * @throws {ConfigurationError} when it cannot work with its settings: no cluster to be found, credentials that the
 *   API server refuses from the start, a port that is taken
 * @throws {UnsupportedError} when a kind asks for what this version does not do
 * @example
 * await run({ kinds: [podSet] });
 */
export const run = async ({ kinds, env = process.env, signal, log: given, ...rest }: RunOptions): Promise<void> => {
  const { ended, unsubscribe } = endOf(signal);
  const closers: (() => void | Promise<void>)[] = [unsubscribe];
  try {
    const log = given ?? createLogger(logLevelOf(env['LOG_LEVEL']));
    const port = portOf('HEALTH_PORT', env['HEALTH_PORT']);
    const metricsPort = portOf('METRICS_PORT', env['METRICS_PORT']);
    const registry = new Registry();
    const namespaces = rest.namespaces ?? namespacesIn(env['WATCH_NAMESPACE']);
    const credentials = await loadCredentials({ env });
    const api = createKubeClient(credentials, { observe: createRequestMetrics(registry) });
    closers.push(() => api.close());
    const metrics = createLoopMetrics(registry);
    const { manager, refused } = startLoop({ kinds, api, log, credentials, namespaces, metrics });
    closers.push(() => drained(manager.stop(), log));
    const health = await startHealthServer({ port, isReady: () => manager.isReady() });
    closers.push(() => health.close());
    closers.push(addProcessMetrics(registry));
    const metricsServer = await startMetricsServer({ port: metricsPort, registry });
    closers.push(() => metricsServer.close());
    log.info(
      {
        server: credentials.server,
        credentials: credentials.source,
        healthPort: health.port,
        metricsPort: metricsServer.port,
      },
      'operator started',
    );
    log.info({ reason: await Promise.race([ended, refused]) }, 'operator stopping');
  } finally {
    for (const close of closers.toReversed()) await close();
  }
};

interface LoopOptions {
  readonly kinds: readonly AnyKindDefinition[];
  readonly api: KubeApi;
  readonly log: Logger;
  readonly credentials: Credentials;
  readonly namespaces: readonly string[] | undefined;
  readonly metrics: LoopMetrics;
}

/** `refused` rejects when the API server does not know us from the start: waiting would not help. */
const startLoop = ({ credentials, namespaces, ...given }: LoopOptions) => {
  const { promise: refused, reject } = Promise.withResolvers<never>();
  const onWatchError = (error: ReconcileError): void => {
    if (manager.isReady() || !(error instanceof ApiError && error.httpStatus === 401)) return;
    const what = `${credentials.server} does not accept the credentials of ${credentials.source}`;
    reject(
      new ConfigurationError(`${what}: set KUBECONFIG to one with a valid token or certificate`, { cause: error }),
    );
  };
  // It may reject before, or without, anybody waiting for it.
  refused.catch(() => undefined);
  const where = namespaces === undefined ? {} : { namespaces };
  const manager = startManager({ ...given, ...where, timers: systemTimers, random: Math.random, onWatchError });
  return { manager, refused };
};

export type { Logger };
