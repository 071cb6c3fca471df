import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { allHosts, type EffectHostLists, type EffectHosts } from '#lib/desired/hosts/effect-hosts.ts';
import { configuredKinds } from '#lib/desired/settings/configured-kinds.ts';
import type { EventsSetting } from '#lib/desired/settings/events-setting.ts';
import { operatorSettingsOf } from '#lib/desired/settings/operator-settings.ts';
import type { Tuning } from '#lib/desired/settings/tuning.ts';
import { refOf } from '#lib/kind/names.ts';
import { createKubeClient } from '#lib/kube/client/client.ts';
import type { Credentials } from '#lib/kube/credentials/authentication.ts';
import { loadCredentials } from '#lib/kube/credentials/credentials.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import { createHttpClient } from '#lib/kube/transport/http-client.ts';
import type { TransportOptions } from '#lib/kube/transport/request.ts';
import { fieldManagerOf } from '#lib/loop/cache/field-manager.ts';
import type { EffectsOptions } from '#lib/loop/effects/create-runner.ts';
import { refuseLate } from '#lib/loop/election/fenced-api.ts';
import { startGuardian } from '#lib/loop/guardian/guardian.ts';
import { guardedKind } from '#lib/loop/guardian/runaway/guarded-kind.ts';
import type { Manager } from '#lib/loop/manager/manager.ts';
import { problemText } from '#lib/loop/source/standing.ts';
import type { Logger } from '#lib/telemetry/log.ts';
import { createLoopMetrics } from '#lib/telemetry/loop-metrics.ts';
import { Registry } from '#lib/telemetry/metric.ts';
import { createRequestMetrics } from '#lib/telemetry/request-metrics.ts';
import { Closers } from './runtime/closers.ts';
import { ENTRY_ADVICE } from './runtime/conversion/converter.ts';
import { entryIn } from './runtime/conversion/entry.ts';
import { conversionSettingsOf } from './runtime/conversion/settings.ts';
import { startConversion } from './runtime/conversion/start.ts';
import { convertedKinds, isConversionThread, serveThread } from './runtime/conversion/thread.ts';
import { candidacyOf, type LeaderElectionOptions } from './runtime/lease/candidacy.ts';
import { fitnessOf, standDown, UNFIT } from './runtime/lease/fitness.ts';
import { handOver } from './runtime/lease/hand-over.ts';
import { clientOptionsOf, writeTimeoutOf } from './runtime/lease/time-limits.ts';
import { type LoopOptions, startLoop } from './runtime/loop.ts';
import { servePorts } from './runtime/ports.ts';
import { type ProcessEnd, processEndOf } from './runtime/process-end.ts';
import { withProcessLog } from './runtime/process-log.ts';
import { openRecordFile } from './runtime/record/record-file.ts';
import { startRecording } from './runtime/record/recording.ts';
import { checkRunInput } from './runtime/run-input.ts';
import { type Environment, processSettingsOf } from './runtime/settings.ts';

/** The kinds and the settings of the operator. Each number of {@link Tuning} can be an option or an environment variable. */
export interface RunOptions extends Tuning {
  /** The kinds to reconcile. */
  readonly kinds: readonly AnyKindDefinition[];
  /**
   * The environment variables, with their defaults: `KUBECONFIG`, `HEALTH_PORT` (8081), `METRICS_PORT` (8080; 0 for any free
   * port), `LOG_LEVEL` (info), `WATCH_NAMESPACE` (all), `METRIC_HOSTS`, `WEBHOOK_HOSTS`, `EFFECT_HOSTS` (none), `PROMETHEUS_URL`
   * (none), `LEADER_ELECTION` (true), `LEASE_NAME`, `LEASE_DURATION_SECONDS` (15), `POD_NAMESPACE`, `POD_NAME`,
   * `METRICS_AUTHENTICATION` (false), `RECORD_FILE` (no record), `EVENTS` (all), `CONCURRENCY` (16), `CONNECTIONS` (16),
   * `READ_TIMEOUT_SECONDS` (30), `WRITE_TIMEOUT_SECONDS` (see {@link Tuning.writeTimeoutSeconds}), `WATCH_SILENCE_SECONDS` (90),
   * `EFFECT_CONCURRENCY` (16), `WRITES_IN_FLIGHT` (16), `RESYNC_SECONDS` (36000), `MAX_RESOURCE_KIB` (128), `CONVERSION_SERVICE`
   * (no webhook), `CONVERSION_PORT` (9443), `CONVERSION_CERTIFICATE_DIR` (the operator creates its certificates).
   *
   * @default process.env
   */
  readonly env?: Environment;
  /** The context of the kubeconfig. @default the current context */
  readonly context?: string | undefined;
  /** The watched namespaces. @default those of `WATCH_NAMESPACE`, such as `team-a,team-b`; without it, all */
  readonly namespaces?: readonly string[];
  /**
   * The allowed hosts of HTTP effects, for metrics and for other requests. Each entry is `host` (https), `host:port` or
   * `*.domain`. If a list is given here, all three environment variables are ignored.
   *
   * @default those of `METRIC_HOSTS`, `WEBHOOK_HOSTS` and `EFFECT_HOSTS`, such as `prometheus.monitoring.svc:9090`
   */
  readonly effects?: EffectHostLists & {
    /** The server of kinds with `operatorSettings: ['prometheusUrl']`. @default `PROMETHEUS_URL`; without it, none */
    readonly prometheusUrl?: string;
  };
  /**
   * Whether metrics are served over TLS, and only to clients that may `get` the path `/metrics`.
   *
   * @default `METRICS_AUTHENTICATION`; without it, false
   */
  readonly metricsAuthentication?: boolean;
  /** The events that are written: `all`, `warnings` or `off`. @default the value of `EVENTS`; without it, all */
  readonly events?: EventsSetting;
  /** A file in which passes are recorded, for `cdk8s-reconcile replay`. @default the value of `RECORD_FILE`; without it, none */
  readonly recordFile?: string;
  /**
   * Leader election among processes with the same kinds. With false, every process writes.
   *
   * @default `LEADER_ELECTION`; without it, on
   */
  readonly leaderElection?: boolean | LeaderElectionOptions;
  /**
   * The module that calls `run()`, as its `import.meta.url`. If a kind has functions that convert its versions, a thread loads
   * this module again. In the thread, `run()` answers conversion reviews.
   *
   * @default the main module of the process, if it calls `run()` itself; otherwise conversions run in the main thread
   */
  readonly entry?: string | URL;
  /** Aborting the signal ends the operator, as SIGTERM does. */
  readonly signal?: AbortSignal;
  /** The log. @default JSON lines on standard output */
  readonly log?: Logger;
  /** Called at most once, when this process leads and all caches that can be filled are filled. A thrown error ends the operator. */
  readonly onStarted?: () => void;
}

/** An error of `onStarted` becomes an uncaught error, which ends the operator ({@link processEndOf}). */
const tellStart = async (manager: Manager, onStarted: RunOptions['onStarted']): Promise<void> => {
  await manager.started;
  if (manager.isReady()) onStarted?.();
};

/**
 * Runs the operator until it is stopped. The entry point of a container should call it.
 *
 * Flow: settings → credentials → lease → caches → loop. After SIGTERM or SIGINT, no new pass begins. Running passes end, or are
 * aborted after two seconds. Then the lease is released, events, servers and connections end, and the promise resolves.
 *
 * Guarantees: an unreachable API server, rejected credentials, a missing CRD or a missing right are logged and retried. Only the
 * kinds that need the missing part wait. Serves `/healthz` and `/readyz` from the start. Never loads cdk8s. Only one of several
 * processes that share a lease writes; another process takes over when the first one ends, is killed or loses its connection. A
 * process is a candidate while it is ready. A leader that is not ready releases the lease, waits for a minute and ends.
 *
 * Without {@link RunOptions.log}, a fatal error is the last line of the log.
 *
 * Assumptions: the caller ends the process when the promise rejects, and the process is restarted.
 *
 * Caveats: installs handlers for SIGTERM, SIGINT and uncaught errors while it runs. V8 does not optimize WebAssembly that is
 * compiled after the start.
 *
 * @throws {ConfigurationError} for invalid settings, for example without a cluster, or with a port in use
 * @throws {NotLeadingError} when the process has lost the lease
 * @throws any uncaught error of the process
 * @example
 * await run({ kinds: [podSet] });
 */
export const run = async (options: RunOptions): Promise<void> => {
  const level = (options.env ?? process.env)['LOG_LEVEL'];
  if (isConversionThread()) return withProcessLog(level, async () => serveThread(options.kinds));
  const entry = options.entry ?? entryIn(new Error('where run() was called').stack, process.argv[1]);
  const work = async (log: Logger): Promise<void> =>
    runLogged({ ...options, ...(entry !== undefined && { entry }), log });
  await (options.log ? work(options.log) : withProcessLog(level, work));
};

const runLogged = async (options: RunOptions & { readonly log: Logger }): Promise<void> => {
  const { kinds, env = process.env, effects, log } = options;
  checkRunInput(options);
  const closers = new Closers({ log });
  try {
    const configured = configuredKinds(kinds, operatorSettingsOf(env, effects));
    await runUntilEnd({ ...options, kinds: configured }, closers);
  } finally {
    await closers.closeAll();
  }
};

/** Without an allowed host, no HTTP client is needed. */
const effectsOf = (hosts: EffectHosts, log: Logger, closers: Closers): EffectsOptions | undefined => {
  if (allHosts(hosts).length === 0) return undefined;
  if (hosts.allowedHosts?.length)
    log.warn(
      { hosts: hosts.allowedHosts },
      'these hosts get any request, also those that serve metrics: name them in METRIC_HOSTS or WEBHOOK_HOSTS instead of EFFECT_HOSTS',
    );
  const client = createHttpClient();
  closers.push('connections of effects', () => client.close());
  return { ...hosts, perform: client.perform };
};

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

/** The webhook starts before the loop, because lists of objects in another stored version need it. */
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
  if (options.entry === undefined) log.warn({ advice: ENTRY_ADVICE }, 'conversions run in the main thread');
  const api = createKubeClient(credentials, { writeTimeoutMs: writeTimeoutOf({}) });
  closers.push('connections of the webhook', () => api.close());
  const server = await startConversion({ kinds, settings, api, log, entry: options.entry });
  closers.push('conversion port', () => server.close());
  log.info({ conversionPort: server.port }, 'conversions are served');
};

/** Events have their own client, so that they do not wait for connections of other requests. */
const connect = (credentials: Credentials, limits: TransportOptions, closers: Closers) => {
  const client = createKubeClient(credentials, limits);
  closers.push('connections', () => client.close());
  const eventsApi = createKubeClient(credentials, { ...limits, connections: 1 });
  closers.push('connection for events', () => eventsApi.close());
  return { client, eventsApi };
};

const runUntilEnd = async (options: RunOptions & { readonly log: Logger }, closers: Closers): Promise<void> => {
  const { kinds, env = process.env, signal, leaderElection, log } = options;
  const end = processEndOf(signal, log);
  closers.push('signal handlers', () => end.unsubscribe());
  const settings = processSettingsOf(env, options);
  const { tuning, events } = settings;
  const registry = new Registry();
  const credentials = await loadCredentials({ env, context: options.context });
  await serveConversions(options, credentials, closers);
  const candidacy = candidacyOf({ leaderElection, env, kinds, namespace: credentials.namespace });
  const writeTimeoutMs = writeTimeoutOf(tuning, candidacy);
  const metrics = createLoopMetrics(registry);
  const running: { manager?: Manager } = {};
  const guardian = await startGuardian({
    credentials,
    log,
    metrics,
    kinds: kinds.map((kind) => ({ resource: refOf(kind), fieldManager: fieldManagerOf(kind) })),
    ...(candidacy && { candidacy }),
    writeTimeoutMs,
    onRestored: (...proof) => running.manager?.storageRestored(...proof),
  });
  closers.push('lease', () => guardian.stop());
  const { leadership, watch } = guardian;
  const beforeWrite = leadership && (() => refuseLate(leadership));
  const observe = createRequestMetrics(registry);
  const limits = { ...clientOptionsOf(tuning), writeTimeoutMs, observe, ...(beforeWrite && { beforeWrite }) };
  const { client, eventsApi } = connect(credentials, limits, closers);
  const { api, recorder } = startRecording(client, { log, metrics, instance: settings.instance, events, eventsApi });
  closers.push('events', () => recorder.stop());
  const isReady = (): boolean => running.manager?.isReady() ?? false;
  const problems = (): readonly string[] => (running.manager?.problems() ?? []).map(problemText);
  const ports = await servePorts({ settings, registry, credentials, log, isReady, problems }, closers);
  // After an attempt on a free lease, later lists include all writes of earlier leaders.
  await Promise.race([guardian.attempted, end.asked]);
  const hosts = { ...settings.effectHosts, ...operatorSettingsOf(env, options.effects) };
  const effects = effectsOf(hosts, log, closers);
  const { onReadiness, unfit } = fitnessOf(guardian);
  const manager = startLoop({
    kinds: kinds.map((definition, kind) => guardedKind(definition, { watch, kind, timers: systemTimers })),
    api,
    log,
    credentials,
    ...settings.loop,
    metrics,
    tuning,
    leadership,
    events: recorder.sink,
    effects,
    onDecision: await recordingOf(options.recordFile ?? settings.recordFile, log, closers),
    onReadiness,
  });
  const work = new Closers({ log });
  handOver(work, { manager, guardian, recorder, client, log });
  running.manager = manager;
  void tellStart(manager, options.onStarted);
  const { server, source } = credentials;
  log.info({ server, credentials: source, ...ports }, 'operator started');
  await untilEnd([end.asked, guardian.failed, end.broken, unfit], { end, work, log });
};

/**
 * Waits for the first reason to end, then closes `work`: the passes, the events and the lease. The caller closes all other parts
 * afterwards.
 */
const untilEnd = async (
  reasons: readonly Promise<string>[],
  { end, work, log }: { readonly end: ProcessEnd; readonly work: Closers; readonly log: Logger },
): Promise<void> => {
  try {
    const reason = await Promise.race(reasons);
    log.info({ reason }, 'operator stopping');
    if (reason === UNFIT) await Promise.race([standDown({ work, log, asked: end.asked }), end.broken]);
  } finally {
    await work.closeAll();
  }
};

export { type Migrated, type MigrateOptions, migrateStorage } from './runtime/migrate-storage.ts';
export type { EventsSetting, LeaderElectionOptions, Logger, Tuning };
