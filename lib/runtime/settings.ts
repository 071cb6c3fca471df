import { hostname } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { type EffectHostLists, effectHostListsOf } from '#lib/desired/hosts/effect-hosts.ts';
import { type EventsSetting, eventsSettingOf } from '#lib/desired/settings/events-setting.ts';
import { type Tuning, tuningOf } from '#lib/desired/settings/tuning.ts';
import { ConfigurationError } from '#lib/errors.ts';
import { namespacesIn } from '#lib/loop/source/namespaces.ts';

/** The environment variables of the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The options of `run()` that {@link LoopSettings} include. */
export interface LoopSettingsOfRun {
  readonly namespaces?: readonly string[];
}

/** The settings of the loop. */
export interface LoopSettings {
  /** The watched namespaces; undefined for all namespaces. */
  readonly namespaces: readonly string[] | undefined;
  /** The namespace of the operator, if it is not that of the credentials of the pod. */
  readonly ownNamespace: string | undefined;
  /** Milliseconds between two comparisons of a cache with the API server; 0 for none. */
  readonly resyncMs: number;
  /** The memory limit of one resource, in bytes; Infinity for no limit. */
  readonly maxResourceBytes: number;
  /** The memory limit of all resources together, in bytes; Infinity for no limit. */
  readonly maxResourcesBytes: number;
}

/** The checked settings from the environment and from the options of `run()`. */
export interface ProcessSettings {
  /** The TCP port of the probes; 0 for any free port. */
  readonly healthPort: number;
  readonly metricsPort: number;
  /** Whether metrics are served over TLS, and only to clients that the API server authorizes. */
  readonly metricsAuthentication: boolean;
  readonly loop: LoopSettings;
  /** The name of this process in its events. */
  readonly instance: string;
  /** The hosts to which effects may send HTTP requests; none by default. */
  readonly effectHosts: EffectHostLists;
  /** The file in which passes are recorded; undefined for none. */
  readonly recordFile: string | undefined;
  readonly tuning: Tuning;
  readonly events: EventsSetting;
}

/** Options of `run()` that take precedence over the environment. */
export interface SettingsOptions extends Tuning {
  readonly events?: EventsSetting;
  readonly effects?: EffectHostLists;
  readonly metricsAuthentication?: boolean;
}

const DEFAULT_PORTS = { HEALTH_PORT: 8081, METRICS_PORT: 8080, CONVERSION_PORT: 9443 };

/**
 * Reads a TCP port from the environment; an absent or empty variable gives the default.
 *
 * @throws {ConfigurationError} for a value that is not a port
 */
export const portOf = (env: Environment, name: keyof typeof DEFAULT_PORTS): number => {
  const text = env[name];
  if (text === undefined || text === '') return DEFAULT_PORTS[name];
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new ConfigurationError(`${name} is "${text}": set it to a TCP port from 0 to 65535`);
};

const switchOf = (env: Environment, name: string): boolean => {
  const text = env[name] || 'false';
  if (text === 'true' || text === 'false') return text === 'true';
  throw new ConfigurationError(`${name} is "${text}": set it to true or false`);
};

const metricsAuthenticationOf = (env: Environment, { metricsAuthentication: said }: SettingsOptions): boolean => {
  if (said === undefined) return switchOf(env, 'METRICS_AUTHENTICATION');
  if (typeof said === 'boolean') return said;
  throw new ConfigurationError(`metricsAuthentication is ${JSON.stringify(said)}: set it to true or false`);
};

/** The default interval of comparisons of caches with the API server, the same as the `SyncPeriod` of controller-runtime. */
const RESYNC_SECONDS = 36_000;
const MAX_RESOURCE_KIB = 128;
const BYTES_PER_KIB = 1024;
/** The share of the heap for resources. Values computed from resources need the same amount, and children need memory, too. */
const RESOURCES_PART = 0.25;

const loopSettingsOf = (env: Environment, { namespaces, ...tuning }: LoopSettingsOfRun & Tuning): LoopSettings => {
  const { resyncSeconds = RESYNC_SECONDS, maxResourceKiB = MAX_RESOURCE_KIB } = tuning;
  return {
    namespaces: namespaces ?? namespacesIn(env['WATCH_NAMESPACE']),
    ownNamespace: env['POD_NAMESPACE'] || undefined,
    resyncMs: resyncSeconds * 1000,
    maxResourceBytes: maxResourceKiB === 0 ? Infinity : maxResourceKiB * BYTES_PER_KIB,
    maxResourcesBytes: maxResourceKiB === 0 ? Infinity : getHeapStatistics().heap_size_limit * RESOURCES_PART,
  };
};

/**
 * Reads the settings of an operator that do not depend on credentials.
 *
 * @param options - the options of `run()`; they take precedence over the environment
 * @throws {ConfigurationError} for an invalid value
 */
export const processSettingsOf = (
  env: Environment,
  options: LoopSettingsOfRun & SettingsOptions = {},
): ProcessSettings => {
  const tuning = tuningOf(env, options);
  return {
    healthPort: portOf(env, 'HEALTH_PORT'),
    metricsPort: portOf(env, 'METRICS_PORT'),
    metricsAuthentication: metricsAuthenticationOf(env, options),
    loop: loopSettingsOf(env, { ...tuning, ...(options.namespaces && { namespaces: options.namespaces }) }),
    instance: env['POD_NAME'] || env['HOSTNAME'] || hostname(),
    effectHosts: effectHostListsOf(env, options.effects),
    recordFile: env['RECORD_FILE'] || undefined,
    tuning,
    events: eventsSettingOf(env, options.events),
  };
};
