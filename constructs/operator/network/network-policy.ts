import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import type { LabelSelector } from 'kubernetes-types/meta/v1.js';
import type {
  NetworkPolicy,
  NetworkPolicyEgressRule,
  NetworkPolicyIngressRule,
  NetworkPolicyPort,
} from 'kubernetes-types/networking/v1.js';
import { type OperatorNames, operatorLabels, operatorSelector } from '#constructs/operator/names.ts';
import { CONVERSION_PORT, METRICS_PORT } from '#constructs/operator/process/ports.ts';
import { hostEntryOf } from '#lib/desired/hosts/allowed-hosts.ts';
import { ipVersion } from './ip-version.ts';

/** The pods of the DNS server of the cluster. */
export interface DnsPods {
  /** The namespace of the pods: a DNS label. */
  readonly namespace: string;
  /** Labels that select the pods; at least one. */
  readonly labels: Readonly<Record<string, string>>;
  /** The ports on which the pods listen, such as 5353 for OpenShift. @default [53] */
  readonly ports?: readonly number[];
}

/** The allowed connections of the operator. */
export interface NetworkProps {
  /** Addresses of the API server, each as a CIDR, such as `10.0.0.1/32`. @default any address */
  readonly apiServer?: readonly string[];
  /**
   * Ports on which the API server itself listens. These may differ from the port of the Service `kubernetes`.
   *
   * @default [443, 6443]
   */
  readonly apiServerPorts?: readonly number[];
  /**
   * Addresses from which the API server calls the conversion webhook, as CIDRs. Behind a tunnel such as konnectivity, these are
   * not the addresses of the API server.
   *
   * @default the addresses in `apiServer`; any address if `apiServer` is absent
   */
  readonly webhookFrom?: readonly string[];
  /** Namespaces whose pods may scrape metrics: DNS labels. @default any address, inside and outside of the cluster */
  readonly metricsFrom?: readonly string[];
  /**
   * The pods of the DNS server of the cluster. The network policy allows DNS only if `effects` has hosts.
   *
   * @default pods with the label `k8s-app: kube-dns` in the namespace `kube-system`
   */
  readonly dns?: DnsPods;
}

/** The settings of the network policy, the hosts of effects, and whether there is a conversion webhook. */
export interface NetworkRules extends NetworkProps {
  /** Hosts of effects: `host`, `host:port`, `*.domain`. */
  readonly effectHosts: readonly string[] | undefined;
  readonly hasConversion: boolean;
}

const DEFAULT_PORTS = [443, 6443];

const tcp = (port: number): NetworkPolicyPort => ({ port, protocol: 'TCP' });

/** Selects a namespace by the label that the API server sets: kubernetes.io/docs/reference/labels-annotations-taints. */
const namespaceNamed = (name: string): LabelSelector => ({ matchLabels: { 'kubernetes.io/metadata.name': name } });

const apiServerRule = ({ apiServer, apiServerPorts = DEFAULT_PORTS }: NetworkProps): NetworkPolicyEgressRule => ({
  ports: apiServerPorts.map(tcp),
  ...(apiServer && { to: apiServer.map((cidr) => ({ ipBlock: { cidr } })) }),
});

const serviceHost = /^[a-z0-9-]+\.(?<namespace>[a-z0-9-]+)(\.svc(\.cluster\.local)?)?$/;

/**
 * Returns the namespace in the name of a Service; `undefined` for a host that cannot be a Service. A name with one dot can also
 * be a public domain, such as `example.com`.
 */
const namespaceOf = (host: string): string | undefined => serviceHost.exec(host)?.groups?.['namespace'];

/** No public domain name ends in `.svc` or `.svc.cluster.local`. */
const isInCluster = (host: string): boolean => /\.svc(\.cluster\.local)?$/.test(host);

const addressRule = (host: string, port: number): NetworkPolicyEgressRule => {
  const address = host.replace(/^\[|\]$/g, '');
  const version = ipVersion(address);
  const to = version === 0 ? undefined : [{ ipBlock: { cidr: `${address}/${version === 4 ? 32 : 128}` } }];
  return { ports: [tcp(port)], ...(to && { to }) };
};

/**
 * Makes the rules for one host. For an IP address, they allow its port at this address. Network policies support no host names,
 * so for a name, the rules allow more than the host. For a Service, they allow all ports of its namespace, because a pod may
 * listen on another port than its Service. For another name, they allow its port at any address. A name such as `name.namespace`
 * may be both.
 */
const hostRules = (allowed: string): NetworkPolicyEgressRule[] => {
  const entry = hostEntryOf(allowed);
  if (entry === undefined) return [];
  const { isWildcard, host, port = 443 } = entry;
  const namespace = namespaceOf(isWildcard ? `any.${host}` : host);
  const outside = addressRule(host, port);
  if (namespace === undefined) return [outside];
  const inside = { to: [{ namespaceSelector: namespaceNamed(namespace) }] };
  if (isInCluster(host)) return [inside];
  return isWildcard ? [outside] : [inside, outside];
};

/**
 * The pods of CoreDNS, which have the label of kube-dns: kubernetes.io/docs/tasks/administer-cluster/dns-debugging-resolution.
 */
const CLUSTER_DNS: DnsPods = { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } };

/** The operator reaches the API server by its IP address, so only the hosts of effects need DNS. */
const dnsRule = ({ namespace, labels, ports = [53] }: DnsPods): NetworkPolicyEgressRule => ({
  ports: ports.flatMap((port) => [{ port, protocol: 'UDP' }, tcp(port)]),
  to: [{ namespaceSelector: namespaceNamed(namespace), podSelector: { matchLabels: { ...labels } } }],
});

const scrapeRule = ({ metricsFrom }: NetworkProps): NetworkPolicyIngressRule => ({
  ports: [tcp(METRICS_PORT)],
  ...(metricsFrom && { from: metricsFrom.map((name) => ({ namespaceSelector: namespaceNamed(name) })) }),
});

const conversionRule = ({ apiServer, webhookFrom = apiServer }: NetworkProps): NetworkPolicyIngressRule => ({
  ports: [tcp(CONVERSION_PORT)],
  ...(webhookFrom && { from: webhookFrom.map((cidr) => ({ ipBlock: { cidr } })) }),
});

const unique = <T>(rules: readonly T[]): T[] => [
  ...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values(),
];

/**
 * Adds the NetworkPolicy of the operator. Incoming: metrics, and the conversion webhook if there is one. Outgoing: the API
 * server, the hosts of effects, and DNS if there are such hosts.
 *
 * Assumptions: the network plugin of the cluster enforces network policies.
 *
 * @see https://kubernetes.io/docs/concepts/services-networking/network-policies/
 */
export const addNetworkPolicy = (
  scope: Construct,
  names: OperatorNames,
  { effectHosts = [], hasConversion, ...network }: NetworkRules,
): ApiObject =>
  new ApiObject(scope, 'network-policy', {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: names.name, namespace: names.namespace, labels: operatorLabels(names) },
    spec: {
      podSelector: { matchLabels: operatorSelector(names) },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [scrapeRule(network), ...(hasConversion ? [conversionRule(network)] : [])],
      egress: unique([
        apiServerRule(network),
        ...(effectHosts.length > 0 ? [dnsRule(network.dns ?? CLUSTER_DNS)] : []),
        ...effectHosts.flatMap(hostRules),
      ]),
    },
  } satisfies NetworkPolicy);
