import { allowedHostsOf } from '#lib/desired/allowed-hosts.ts';
import { configuredKinds } from '#lib/desired/configured-kinds.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { operatorSettingsOf } from '#lib/desired/operator-settings.ts';
import { refOf } from '#lib/kind/names.ts';
import type { Credentials } from '#lib/kube/authentication.ts';
import { createKubeClient } from '#lib/kube/client.ts';
import { loadCredentials } from '#lib/kube/credentials.ts';
import { createHttpClient } from '#lib/kube/http-client.ts';
import { systemTimers } from '#lib/kube/timers.ts';
import type { EffectsOptions } from '#lib/loop/effects/create-runner.ts';
import { refuseLate } from '#lib/loop/election/fenced-api.ts';
import { fieldManagerOf } from '#lib/loop/field-manager.ts';
import { startGuardian } from '#lib/loop/guardian/guardian.ts';
import type { Manager } from '#lib/loop/manager.ts';
import { guardedKind } from '#lib/loop/runaway/guarded-kind.ts';
import { startHealthServer } from '#lib/telemetry/health.ts';
import { createLogger, type Logger, logLevelOf } from '#lib/telemetry/log.ts';
import { createLoopMetrics } from '#lib/telemetry/loop-metrics.ts';
import { Registry } from '#lib/telemetry/metric.ts';
import { startMetricsServer } from '#lib/telemetry/metrics.ts';
import { addProcessMetrics } from '#lib/telemetry/process-metrics.ts';
import { quietLog } from '#lib/telemetry/quiet-log.ts';
import { createRequestMetrics } from '#lib/telemetry/request-metrics.ts';
import { candidacyOf, type LeaderElectionOptions } from './runtime/candidacy.ts';
import { Closers } from './runtime/closers.ts';
import { conversionSettingsOf } from './runtime/conversion/settings.ts';
import { convertedKinds, startConversion } from './runtime/conversion/start.ts';
import { handOver } from './runtime/hand-over.ts';
import { type LoopOptions, startLoop } from './runtime/loop.ts';
import { processEndOf } from './runtime/process-end.ts';
import { openRecordFile } from './runtime/record-file.ts';
import { startRecording } from './runtime/recording.ts';
import { type Environment, settingsOf } from './runtime/settings.ts';

/** What to run, and how to end it. */
export interface RunOptions {
  /** The kinds to reconcile. */
  readonly kinds: readonly AnyKindDefinition[];
  /**
   * Settings: `KUBECONFIG`, `HEALTH_PORT` (8081) and `METRICS_PORT` (8080; 0 takes a free one), `LOG_LEVEL` (info),
   * `WATCH_NAMESPACE` (all), `EFFECT_HOSTS` (none), `PROMETHEUS_URL` (none), `LEADER_ELECTION` (true), `LEASE_NAME`, `LEASE_DURATION_SECONDS` (15), `POD_NAMESPACE`, `POD_NAME`,
   * `RECORD_FILE` (passes are not recorded),
   * `CONVERSION_SERVICE` (no webhook), `CONVERSION_PORT` (9443), `CONVERSION_CERTIFICATE_DIR` (certificates of its own).
   *
   * @default process.env
   */
  readonly env?: Environment;
  /** The context of the kubeconfig. @default its current one */
  readonly context?: string | undefined;
  /** The only namespaces to look at and to work in. @default those of `WATCH_NAMESPACE`, as in `team-a,team-b`; without it all */
  readonly namespaces?: readonly string[];
  /**
   * The hosts that HTTP effects may ask, each `host` (https), `host:port` or `*.domain`.
   *
   * @default those of `EFFECT_HOSTS`, as in `prometheus.monitoring:9090,hooks.example.com`; without it none
   */
  readonly effects?: {
    readonly allowedHosts: readonly string[];
    /** The server that kinds ask which declare `operatorSettings: ['prometheusUrl']`. @default that of `PROMETHEUS_URL`; without it none */
    readonly prometheusUrl?: string;
  };
  /** A file in which passes are recorded, for `cdk8s-reconcile replay`. @default that of `RECORD_FILE`; without it none */
  readonly recordFile?: string;
  /** Of several processes that run the same kinds, one works and the others stand by; false: each works. @default as `LEADER_ELECTION` says: on */
  readonly leaderElection?: boolean | LeaderElectionOptions;
  /** Ends the run as SIGTERM does. */
  readonly signal?: AbortSignal;
  /** @default JSON lines on standard output */
  readonly log?: Logger;
  /** Called once, when all caches are filled, this process leads, and the loop begins to work. What it throws ends the run. */
  readonly onStarted?: () => void;
}

/** Standing by to the end is no start. A rejection is an error that nobody caught, which ends the run in order ({@link processEndOf}). */
const tellStart = async (manager: Manager, onStarted: RunOptions['onStarted']): Promise<void> => {
  await manager.started;
  if (manager.isReady()) onStarted?.();
};

/** Without leader election a write may take so long, in milliseconds. */
const WRITE_TIMEOUT_MS = 30_000;

/**
 * Runs the operator until it is told to end: what a container's entry point calls.
 *
 * Flow: settings → credentials → lease → caches → loop; SIGTERM or SIGINT → no new passes → passes under way end, or are broken
 * off after two seconds → the lease is given back → events, servers, connections end → resolves.
 *
 * Guarantees: an API server that cannot be reached, a CRD or a right that is missing is waited for, with a line in the log
 * each time. `/healthz` and `/readyz` are served from the start. cdk8s is never loaded. Of several processes that share a
 * lease one writes; the others are ready, and take over when it ends, is killed or loses its connection.
 *
 * Assumptions: whoever calls it ends the process when it rejects, and something starts it again.
 *
 * Caveats: installs handlers for SIGTERM, SIGINT and uncaught errors while it runs.
 *
 * @throws {ConfigurationError} when it cannot work with its settings: no cluster to be found, credentials that the
 *   API server refuses from the start, a port that is taken
 * @throws {NotLeadingError} when it led and does not any more
 * @throws whatever was thrown anywhere in the process and caught by nobody
 * @example
 * await run({ kinds: [podSet] });
 */
export const run = async (options: RunOptions): Promise<void> => {
  const log = options.log ?? quietLog(createLogger(logLevelOf((options.env ?? process.env)['LOG_LEVEL'])));
  const closers = new Closers({ log });
  try {
    const { kinds, env = process.env, effects } = options;
    const configured = configuredKinds(kinds, operatorSettingsOf(env, effects));
    await runUntilEnd({ ...options, kinds: configured, log }, closers);
  } finally {
    await closers.closeAll();
  }
};

/** Without a host that may be asked there is nothing to ask it with. */
const effectsOf = (hosts: readonly string[], closers: Closers): EffectsOptions | undefined => {
  const allowedHosts = allowedHostsOf(hosts, 'effects.allowedHosts');
  if (allowedHosts.length === 0) return undefined;
  const client = createHttpClient();
  closers.push('connections of effects', () => client.close());
  return { allowedHosts, perform: client.perform };
};

/** Off, unless a file is named. */
const recordingOf = async (
  file: string | undefined,
  log: Logger,
  closers: Closers,
): Promise<LoopOptions['onDecision']> => {
  if (file === undefined) return undefined;
  const record = await openRecordFile({ file, log });
  closers.push('record of passes', () => record.close());
  log.info({ file }, 'passes are recorded');
  return record.onDecision;
};

/** Before the loop: lists of objects that are stored in another version need the webhook. Every replica serves it, whoever leads. */
const serveConversions = async (
  options: RunOptions & { readonly log: Logger },
  credentials: Credentials,
  closers: Closers,
): Promise<void> => {
  const { env = process.env, log } = options;
  const kinds = convertedKinds(options.kinds);
  if (kinds.length === 0) return;
  const settings = conversionSettingsOf(env, credentials.namespace);
  if (settings === undefined) {
    const names = kinds.map(({ kind }) => kind);
    log.warn(
      { kinds: names },
      'their versions are converted by a webhook, which is not served: set CONVERSION_SERVICE',
    );
    return;
  }
  const api = createKubeClient(credentials, { writeTimeoutMs: WRITE_TIMEOUT_MS });
  closers.push('connections of the webhook', () => api.close());
  const server = await startConversion({ kinds, settings, api, log });
  closers.push('conversion port', () => server.close());
  log.info({ conversionPort: server.port }, 'conversions are served');
};

const runUntilEnd = async (options: RunOptions & { readonly log: Logger }, closers: Closers): Promise<void> => {
  const { kinds, env = process.env, signal, leaderElection, log } = options;
  const end = processEndOf(signal, log);
  closers.push('signal handlers', () => end.unsubscribe());
  const settings = settingsOf(env);
  const registry = new Registry();
  const credentials = await loadCredentials({ env, context: options.context });
  await serveConversions(options, credentials, closers);
  const candidacy = candidacyOf({ leaderElection, env, kinds, namespace: credentials.namespace });
  const writeTimeoutMs = candidacy?.times.renewDeadlineMs ?? WRITE_TIMEOUT_MS;
  const metrics = createLoopMetrics(registry);
  const guardian = await startGuardian({
    credentials,
    log,
    metrics,
    kinds: kinds.map((kind) => ({ resource: refOf(kind), fieldManager: fieldManagerOf(kind) })),
    ...(candidacy && { candidacy }),
    writeTimeoutMs,
  });
  closers.push('lease', () => guardian.stop());
  const { leadership, watch } = guardian;
  const beforeWrite = leadership && (() => refuseLate(leadership));
  const observe = createRequestMetrics(registry);
  const client = createKubeClient(credentials, { writeTimeoutMs, observe, ...(beforeWrite && { beforeWrite }) });
  closers.push('connections', () => client.close());
  const { api, recorder } = startRecording(client, { log, metrics, instance: settings.instance });
  closers.push('events', () => recorder.stop());
  const running: { manager?: Manager } = {};
  const health = await startHealthServer({
    port: settings.healthPort,
    isReady: () => running.manager?.isReady() ?? false,
  });
  closers.push('health port', () => health.close());
  closers.push('metrics', addProcessMetrics(registry));
  const metricsServer = await startMetricsServer({ port: settings.metricsPort, registry });
  closers.push('metrics port', () => metricsServer.close());
  // Lists that begin as a leader need not be made again.
  await Promise.race([guardian.attempted, end.asked]);
  const effects = effectsOf(options.effects?.allowedHosts ?? settings.effectHosts, closers);
  const { manager, refused } = startLoop({
    kinds: kinds.map((definition, kind) => guardedKind(definition, { watch, kind, timers: systemTimers })),
    api,
    log,
    credentials,
    namespaces: options.namespaces ?? settings.namespaces,
    metrics,
    leadership,
    events: recorder.sink,
    effects,
    onDecision: await recordingOf(options.recordFile ?? settings.recordFile, log, closers),
  });
  handOver(closers, { manager, guardian, recorder, client, log });
  running.manager = manager;
  void tellStart(manager, options.onStarted);
  const { server, source } = credentials;
  const ports = { healthPort: health.port, metricsPort: metricsServer.port };
  log.info({ server, credentials: source, ...ports }, 'operator started');
  const reason = await Promise.race([end.asked, refused, guardian.failed, end.broken]);
  log.info({ reason }, 'operator stopping');
};

export { type Migrated, type MigrateOptions, migrateStorage } from './runtime/migrate-storage.ts';
export type { LeaderElectionOptions, Logger };
