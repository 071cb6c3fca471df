import { hostname } from 'node:os';
import { allowedHostsOf, splitHosts } from '#lib/desired/allowed-hosts.ts';
import { ConfigurationError } from '#lib/errors.ts';
import { namespacesIn } from '#lib/loop/source/namespaces.ts';

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What the environment says, read and checked. */
export interface Settings {
  /** TCP ports; 0 takes a free one. */
  readonly healthPort: number;
  readonly metricsPort: number;
  /** Undefined for all. */
  readonly namespaces: readonly string[] | undefined;
  /** What events call this process. */
  readonly instance: string;
  /** Hosts outside of the API server that effects may ask; none by default. */
  readonly effectHosts: readonly string[];
  /** Where passes are recorded; undefined for nowhere. */
  readonly recordFile: string | undefined;
}

const DEFAULT_PORTS = { HEALTH_PORT: 8081, METRICS_PORT: 8080, CONVERSION_PORT: 9443 };

/**
 * Reads a port.
 *
 * @throws {ConfigurationError} for what is none
 */
export const portOf = (env: Environment, name: keyof typeof DEFAULT_PORTS): number => {
  const text = env[name];
  if (text === undefined || text === '') return DEFAULT_PORTS[name];
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new ConfigurationError(`${name} is "${text}": set it to a TCP port from 0 to 65535`);
};

/**
 * Reads the settings of an operator that need no credentials.
 *
 * @throws {ConfigurationError} for a value that cannot be
 */
export const settingsOf = (env: Environment): Settings => ({
  healthPort: portOf(env, 'HEALTH_PORT'),
  metricsPort: portOf(env, 'METRICS_PORT'),
  namespaces: namespacesIn(env['WATCH_NAMESPACE']),
  instance: env['POD_NAME'] || env['HOSTNAME'] || hostname(),
  effectHosts: allowedHostsOf(splitHosts(env['EFFECT_HOSTS'] ?? ''), 'EFFECT_HOSTS'),
  recordFile: env['RECORD_FILE'] || undefined,
});
