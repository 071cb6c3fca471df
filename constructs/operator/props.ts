import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ConfigurationError } from '#lib/errors.ts';
import { namesOf } from '#lib/kind/names.ts';
import { resourceName } from '#lib/kind/reference.ts';

/** What an operator runs, and under which name. */
export interface OperatorProps {
  /** Definitions of the kinds that it reconciles; at least one. */
  readonly kinds: readonly AnyKindDefinition[];
  /** The container image; prefer a digest. */
  readonly image: string;
  /** Name of the Deployment, the ServiceAccount, the Lease and the cluster-wide objects: a DNS label. @default 'reconcile-operator' */
  readonly name?: string;
  /** The namespace that is made for it: a DNS label. @default the name */
  readonly namespace?: string;
  /**
   * The only namespaces that it works in, and has rights in: DNS labels. They must exist. What is in no namespace is beyond
   * this, and its rights are given cluster-wide.
   *
   * @default all
   */
  readonly namespaces?: readonly string[];
  /**
   * Lets kinds ask for HTTP requests: to these hosts alone (`host`, `host:port`, `*.domain`), with credentials from secrets of the
   * resource's namespace, which the operator may read one by one.
   *
   * @default no requests, and no right on secrets
   */
  readonly effects?: {
    readonly allowedHosts: readonly string[];
    /**
     * The Prometheus-compatible server that metrics of rollouts ask when they name none, such as
     * `http://prometheus.monitoring.svc:9090`; its host must be allowed. The pods get it as `PROMETHEUS_URL`.
     *
     * @default none: every metric has to name its server
     */
    readonly prometheusUrl?: string;
  };
}

/** The same with what was left out; still without `namespaces` for all. */
export type CheckedProps = OperatorProps & Required<Pick<OperatorProps, 'name' | 'namespace'>>;

/** RFC 1123 label: what namespaces and service names must be. */
const dnsLabel = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

type Refuse = (what: string) => never;

const firstTwice = (values: readonly string[]): string | undefined =>
  values.find((value, index) => values.indexOf(value) !== index);

const checkLabels = (refuse: Refuse, labels: readonly (readonly [prop: string, value: string])[]): void => {
  for (const [prop, value] of labels) {
    if (!dnsLabel.test(value))
      refuse(`${prop} is ${JSON.stringify(value)}; expected a DNS label of 1 to 63 characters (a-z, 0-9, -)`);
  }
};

const checkNamespaces = (refuse: Refuse, { namespaces, kinds }: CheckedProps): void => {
  if (namespaces === undefined) return;
  if (namespaces.length === 0) refuse('namespaces is empty; name at least one, or leave it out for all of them');
  checkLabels(
    refuse,
    namespaces.map((name) => ['namespaces', name]),
  );
  const twice = firstTwice(namespaces);
  if (twice !== undefined) refuse(`namespaces has "${twice}" twice`);
  for (const { kind, scope, owns } of kinds) {
    const child = scope === 'Cluster' && owns.find((owned) => owned.scope === 'Namespaced');
    if (child)
      refuse(
        `namespaces is set, but ${kind} belongs to no namespace and owns ${resourceName(child)} anywhere; leave namespaces out`,
      );
  }
};

/** A host, or all below a domain, and perhaps a port; IPv6 addresses in brackets. */
const hostPattern = /^(?<wildcard>\*\.)?(?<host>[a-z0-9]([-a-z0-9.]*[a-z0-9])?|\[[0-9a-f:.]+\])(?<port>:\d{1,5})?$/i;

/** What the process would refuse at its start, so that nothing is installed that cannot run. */
const isHost = (text: string): boolean => {
  const { wildcard, host, port = '' } = hostPattern.exec(text)?.groups ?? {};
  const url = host === undefined ? null : URL.parse(`https://${host}${port}/`);
  if (!url || url.port === '0') return false;
  return wildcard === undefined || /^(?!\[)(?=.*\.).*[^\d.]/.test(url.hostname);
};

const checkHosts = (refuse: Refuse, { effects }: CheckedProps): void => {
  if (effects === undefined) return;
  if (effects.allowedHosts.length === 0)
    refuse('effects.allowedHosts is empty; name at least one host, or leave effects out');
  const bad = effects.allowedHosts.find((host) => !isHost(host));
  if (bad !== undefined)
    refuse(`effects.allowedHosts has ${JSON.stringify(bad)}; expected host, host:port or *.domain, without a scheme`);
};

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Whether an entry lets requests to a URL pass; without a port https on its own is meant. */
const allows = (entry: string, { protocol, hostname, port }: URL): boolean => {
  const at = port === '' ? DEFAULT_PORTS[protocol] : port;
  const [, name = '', entryPort = ''] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
  const isPort = entryPort === '' ? protocol === 'https:' && at === '443' : entryPort === at;
  return isPort && (name.startsWith('*.') ? hostname.endsWith(name.slice(1)) : name === hostname);
};

const checkPrometheus = (refuse: Refuse, { effects }: CheckedProps): void => {
  const { prometheusUrl, allowedHosts = [] } = effects ?? {};
  if (prometheusUrl === undefined) return;
  const url = URL.parse(prometheusUrl);
  if (!url || DEFAULT_PORTS[url.protocol] === undefined || url.username !== '' || url.search !== '')
    refuse(
      `effects.prometheusUrl is ${JSON.stringify(prometheusUrl)}; expected http://host:port without user and query`,
    );
  else if (!allowedHosts.some((entry) => allows(entry, url)))
    refuse(
      `effects.prometheusUrl is ${JSON.stringify(prometheusUrl)}, which effects.allowedHosts does not allow; add "${url.hostname}:${url.port || DEFAULT_PORTS[url.protocol]}"`,
    );
};

const checkKinds = (refuse: Refuse, { kinds }: CheckedProps): void => {
  if (kinds.length === 0) refuse('kinds is empty; name at least one definition, such as podSet');
  const twice = firstTwice(kinds.map((kind) => namesOf(kind).crdName));
  if (twice !== undefined) refuse(`kinds names ${twice} twice; list every kind once`);
};

/**
 * Fills in what was left out.
 *
 * @param path - the construct's, for messages
 * @throws {ConfigurationError} for props that cannot work
 */
export const checkedProps = (path: string, props: OperatorProps): CheckedProps => {
  const { image, name = 'reconcile-operator', namespace = name } = props;
  const checked = { ...props, name, namespace };
  const refuse: Refuse = (what) => {
    throw new ConfigurationError(`Invalid Operator at construct path "${path}": ${what}`);
  };
  checkKinds(refuse, checked);
  if (!/^\S{1,512}$/.test(image))
    refuse(`image is ${JSON.stringify(image)}; expected a reference such as registry/name@sha256:…`);
  checkLabels(refuse, Object.entries({ name, namespace }));
  if (/^(default|kube-.*)$/.test(namespace)) {
    refuse(
      `namespace is "${namespace}", which belongs to the cluster; the bundle makes a namespace of its own, so choose another name`,
    );
  }
  checkNamespaces(refuse, checked);
  checkHosts(refuse, checked);
  checkPrometheus(refuse, checked);
  return checked;
};
