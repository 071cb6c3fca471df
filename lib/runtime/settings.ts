import { hostname } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { type EffectHostLists, effectHostListsOf } from '#lib/desired/hosts/effect-hosts.ts';
import { type EventsSetting, eventsSettingOf } from '#lib/desired/settings/events-setting.ts';
import { type Tuning, tuningOf } from '#lib/desired/settings/tuning.ts';
import { ConfigurationError } from '#lib/errors.ts';
import { namespacesIn } from '#lib/loop/source/namespaces.ts';

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The options of `run()` for {@link LoopSettings}; the environment has the rest. */
export interface LoopSettingsOfRun {
  readonly namespaces?: readonly string[];
}

/** How the loop works. */
export interface LoopSettings {
  /** Undefined for all. */
  readonly namespaces: readonly string[] | undefined;
  /** Milliseconds between audits of a cache; 0 for none. */
  readonly resyncMs: number;
  /** The most memory that one resource may take; Infinity for any. */
  readonly maxResourceBytes: number;
  /** The most memory that all resources may take; Infinity for any. */
  readonly maxResourcesBytes: number;
}

/** The settings of the environment and of `run()`, checked. */
export interface ProcessSettings {
  /** TCP ports; 0 takes a free one. */
  readonly healthPort: number;
  readonly metricsPort: number;
  /** Metrics are shown by TLS, to those that the API server lets read them. */
  readonly metricsAuthentication: boolean;
  readonly loop: LoopSettings;
  /** The name of this process in events. */
  readonly instance: string;
  /** Hosts outside of the API server that effects may ask; none by default. */
  readonly effectHosts: EffectHostLists;
  /** Where passes are recorded; undefined for nowhere. */
  readonly recordFile: string | undefined;
  readonly tuning: Tuning;
  readonly events: EventsSetting;
}

/** Options of the program take precedence over the environment. */
export interface SettingsOptions extends Tuning {
  readonly events?: EventsSetting;
  readonly effects?: EffectHostLists;
  readonly metricsAuthentication?: boolean;
}

const DEFAULT_PORTS = { HEALTH_PORT: 8081, METRICS_PORT: 8080, CONVERSION_PORT: 9443 };

/**
 * Reads a port.
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

/** As controller-runtime's default `SyncPeriod`. */
const RESYNC_SECONDS = 36_000;
const MAX_RESOURCE_KIB = 128;
const BYTES_PER_KIB = 1024;
/** The part of the heap for resources: values that are computed from them need as much again, and children need room, too. */
const RESOURCES_PART = 0.25;

const loopSettingsOf = (env: Environment, { namespaces, ...tuning }: LoopSettingsOfRun & Tuning): LoopSettings => {
  const { resyncSeconds = RESYNC_SECONDS, maxResourceKiB = MAX_RESOURCE_KIB } = tuning;
  return {
    namespaces: namespaces ?? namespacesIn(env['WATCH_NAMESPACE']),
    resyncMs: resyncSeconds * 1000,
    maxResourceBytes: maxResourceKiB === 0 ? Infinity : maxResourceKiB * BYTES_PER_KIB,
    maxResourcesBytes: maxResourceKiB === 0 ? Infinity : getHeapStatistics().heap_size_limit * RESOURCES_PART,
  };
};

/**
 * Reads the settings of an operator that need no credentials.
 *
 * @param options - of `run()`; they go before the environment
 * @throws {ConfigurationError} for a value that cannot be
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
