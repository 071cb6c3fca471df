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

/** The pods that answer the DNS queries of the cluster. */
export interface DnsPods {
  /** A DNS label. */
  readonly namespace: string;
  /** Labels of the DNS pods; at least one. */
  readonly labels: Readonly<Record<string, string>>;
}

/** The allowed connections of the operator. */
export interface NetworkProps {
  /** Addresses of the API server, each as a CIDR, such as `10.0.0.1/32`. @default any address */
  readonly apiServer?: readonly string[];
  /**
   * Ports on which the API server listens. Network policies compare these ports and not the port of its service.
   *
   * @default [443, 6443]
   */
  readonly apiServerPorts?: readonly number[];
  /**
   * Addresses from which the API server calls the conversion webhook, as CIDRs. Behind a tunnel such as konnectivity, these are
   * not the addresses of the API server.
   *
   * @default the addresses in `apiServer`, or any address when `apiServer` is not set
   */
  readonly webhookFrom?: readonly string[];
  /** Namespaces whose pods may scrape metrics, as DNS labels. @default any address */
  readonly metricsFrom?: readonly string[];
  /**
   * Pods that answer DNS queries. Only operators with hosts of effects send DNS queries.
   *
   * @default pods with `k8s-app: kube-dns` in `kube-system`
   */
  readonly dns?: DnsPods;
}

/** The input of a policy. */
export interface NetworkRules extends NetworkProps {
  /** Hosts of effects: `host`, `host:port`, `*.domain`. */
  readonly effectHosts: readonly string[] | undefined;
  /** Whether the API server calls the conversion webhook of the operator. */
  readonly hasConversion: boolean;
}

const DEFAULT_PORTS = [443, 6443];

const tcp = (port: number): NetworkPolicyPort => ({ port, protocol: 'TCP' });

/** The API server sets this label on every namespace: kubernetes.io/docs/reference/labels-annotations-taints. */
const namespaceNamed = (name: string): LabelSelector => ({ matchLabels: { 'kubernetes.io/metadata.name': name } });

const apiServerRule = ({ apiServer, apiServerPorts = DEFAULT_PORTS }: NetworkProps): NetworkPolicyEgressRule => ({
  ports: apiServerPorts.map(tcp),
  ...(apiServer && { to: apiServer.map((cidr) => ({ ipBlock: { cidr } })) }),
});

/** Matches `service.namespace`, `service.namespace.svc` and `service.namespace.svc.cluster.local`. */
const serviceHost = /^[a-z0-9-]+\.(?<namespace>[a-z0-9-]+)(\.svc(\.cluster\.local)?)?$/;

/**
 * The namespace of a name that may be a service. A name such as `example.com` may be a service of the cluster or a public
 * domain.
 */
const namespaceOf = (host: string): string | undefined => serviceHost.exec(host)?.groups?.['namespace'];

/** Whether a name is certainly a service of the cluster: no public domain name has this ending. */
const isInCluster = (host: string): boolean => /\.svc(\.cluster\.local)?$/.test(host);

const addressRule = (host: string, port: number): NetworkPolicyEgressRule => {
  const address = host.replace(/^\[|\]$/g, '');
  const version = ipVersion(address);
  const to = version === 0 ? undefined : [{ ipBlock: { cidr: `${address}/${version === 4 ? 32 : 128}` } }];
  return { ports: [tcp(port)], ...(to && { to }) };
};

/**
 * The rules for one allowed host. Network policies support addresses and labels, and no host names. The pods of a service can
 * listen on any port, so the rule for a service allows all ports of its namespace. For a name outside the cluster, the rule
 * allows its port at any address.
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

/** CoreDNS has the label of its predecessor kube-dns: kubernetes.io/docs/tasks/administer-cluster/dns-debugging-resolution. */
const CLUSTER_DNS: DnsPods = { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } };

/** The DNS of the cluster resolves the host names of effects. The operator reaches the API server by its address. */
const dnsRule = ({ namespace, labels }: DnsPods): NetworkPolicyEgressRule => ({
  ports: (['UDP', 'TCP'] as const).map((protocol) => ({ port: 53, protocol })),
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
 * Limits the connections of the operator. Incoming connections: metrics, and conversions by the API server. Outgoing
 * connections: the API server, the hosts of effects, and the DNS that resolves them. Policies do not affect the connections of
 * a kubelet to the pods of its node.
 *
 * Assumptions: the network of the cluster enforces policies.
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
