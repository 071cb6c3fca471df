import { ConfigurationError } from '#lib/errors.ts';
import { type AllowedHosts, allowedHostsOf, isHostAllowed, splitHosts } from './allowed-hosts.ts';

/** The allowed hosts of HTTP effects. Each entry is `host`, `host:port` or `*.domain`. */
export interface EffectHostLists {
  /** Servers of metrics, such as Prometheus. This list permits only `GET <path>/api/v1/query`. @default none */
  readonly metricHosts?: readonly string[];
  /** Servers that may receive any request that does not have the purpose `metric`, such as webhooks. @default none */
  readonly webhookHosts?: readonly string[];
  /**
   * Servers that may receive any request, metric queries included. Through this list, the server of `prometheusUrl` receives only
   * metric queries.
   *
   * @deprecated use `metricHosts` and `webhookHosts`: a server of metrics in this list may receive any request
   * @default none
   */
  readonly allowedHosts?: readonly string[];
}

/** {@link EffectHostLists}, and a server that `allowedHosts` permits only for metric queries. */
export interface EffectHosts extends EffectHostLists {
  readonly prometheusUrl?: string | undefined;
}

const VARIABLES = {
  metricHosts: 'METRIC_HOSTS',
  webhookHosts: 'WEBHOOK_HOSTS',
  allowedHosts: 'EFFECT_HOSTS',
} as const;

/** The names of {@link EffectHostLists}. */
export const HOST_LISTS = Object.keys(VARIABLES) as readonly (keyof typeof VARIABLES)[];

/** The environment variable of a list. */
export const hostsVariable = (list: keyof EffectHostLists): string => VARIABLES[list];

/** All hosts of some lists, each once. */
export const allHosts = (lists: EffectHostLists): AllowedHosts => [
  ...new Set(HOST_LISTS.flatMap((name) => lists[name] ?? [])),
];

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((text) => typeof text === 'string');

/** Returns one list of the options. The type is checked, because a JavaScript program can pass any value. */
const listIn = (options: EffectHostLists, name: keyof EffectHostLists): readonly string[] => {
  const { [name]: hosts = [] } = options;
  if (isTexts(hosts)) return hosts;
  throw new ConfigurationError(
    `effects.${name} is ${JSON.stringify(hosts)}: set it to a list of texts, such as ["prometheus.monitoring.svc:9090"]`,
  );
};

/**
 * Reads the lists of hosts from the options or the environment, and checks their entries.
 *
 * @param env - `METRIC_HOSTS`, `WEBHOOK_HOSTS`, `EFFECT_HOSTS`, each with commas between its entries
 * @param options - the lists of the program; if the program sets one of them, the environment variables are ignored
 * @throws {ConfigurationError} for a value that is not a list, and for an entry that is not a host
 */
export const effectHostListsOf = (
  env: Readonly<Record<string, string | undefined>>,
  options: EffectHostLists = {},
): EffectHostLists => {
  const isSaid = HOST_LISTS.some((name) => options[name] !== undefined);
  const lists = HOST_LISTS.map((name) => {
    const hosts = isSaid ? listIn(options, name) : splitHosts(env[VARIABLES[name]] ?? '');
    return [name, allowedHostsOf(hosts, isSaid ? `effects.${name}` : VARIABLES[name])] as const;
  });
  return Object.fromEntries(lists);
};

const isSameServer = (prometheusUrl: string | undefined, url: URL): boolean =>
  prometheusUrl !== undefined && URL.parse(prometheusUrl)?.host === url.host;

/** True if HTTP effects may send metric queries to a URL. */
export const isMetricHost = ({ metricHosts = [], allowedHosts = [] }: EffectHosts, url: URL): boolean =>
  isHostAllowed([...metricHosts, ...allowedHosts], url);

/** True if HTTP effects without the purpose `metric` may send any request to a URL. */
export const isWebhookHost = (hosts: EffectHosts, url: URL): boolean => {
  const { webhookHosts = [], allowedHosts = [], prometheusUrl } = hosts;
  if (isHostAllowed(webhookHosts, url)) return true;
  return isHostAllowed(allowedHosts, url) && !isSameServer(prometheusUrl, url);
};

const QUERY_PATH = '/api/v1/query';

/**
 * True if a URL is an instant query of Prometheus with `query` as its only parameter. An escaped character in the path is refused,
 * because a proxy may interpret the character differently.
 *
 * @see https://prometheus.io/docs/prometheus/latest/querying/api/#instant-queries
 */
export const isMetricQuery = ({ pathname, searchParams, hash }: URL): boolean =>
  pathname.endsWith(QUERY_PATH) &&
  !pathname.includes('%') &&
  hash === '' &&
  [...searchParams.keys()].join() === 'query';
