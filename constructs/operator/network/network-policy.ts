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

/** The pods of the cluster's DNS. */
export interface DnsPods {
  /** The namespace of the pods: a DNS label. */
  readonly namespace: string;
  /** Labels that select the pods; at least one. */
  readonly labels: Readonly<Record<string, string>>;
}

/** The allowed connections of the operator. */
export interface NetworkProps {
  /** Addresses of the API server, each as a CIDR, such as `10.0.0.1/32`. @default any address */
  readonly apiServer?: readonly string[];
  /**
   * Ports of the API server itself. These ports may differ from the port of its Service. Network policies apply to these ports.
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
  /** Namespaces whose pods may scrape metrics: DNS labels. @default pods and machines with any address may scrape */
  readonly metricsFrom?: readonly string[];
  /**
   * The pods of the cluster's DNS. The network policy allows DNS only if the operator sends HTTP requests for effects.
   *
   * @default pods with the label `k8s-app: kube-dns` in the namespace `kube-system`
   */
  readonly dns?: DnsPods;
}

/** The input of a policy. */
export interface NetworkRules extends NetworkProps {
  /** Hosts of effects: `host`, `host:port`, `*.domain`. */
  readonly effectHosts: readonly string[] | undefined;
  /** Whether the API server calls the conversion webhook. */
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

/** Finds the namespace in `service.namespace`, `service.namespace.svc` and `service.namespace.svc.cluster.local`. */
const serviceHost = /^[a-z0-9-]+\.(?<namespace>[a-z0-9-]+)(\.svc(\.cluster\.local)?)?$/;

/**
 * The namespace of a host that may be a Service. A name with one dot can be a Service or a public domain:
 * `prometheus.monitoring`, `example.com`.
 */
const namespaceOf = (host: string): string | undefined => serviceHost.exec(host)?.groups?.['namespace'];

/** Whether a host is certainly a Service, because no public domain name ends in `.svc` or `.svc.cluster.local`. */
const isInCluster = (host: string): boolean => /\.svc(\.cluster\.local)?$/.test(host);

const addressRule = (host: string, port: number): NetworkPolicyEgressRule => {
  const address = host.replace(/^\[|\]$/g, '');
  const version = ipVersion(address);
  const to = version === 0 ? undefined : [{ ipBlock: { cidr: `${address}/${version === 4 ? 32 : 128}` } }];
  return { ports: [tcp(port)], ...(to && { to }) };
};

/**
 * The rules for an allowed host. A network policy can allow addresses and labels, but not host names. For a Service, all ports of
 * the pods in its namespace are allowed, because the pods may listen on any port. For a host that may be outside the cluster, its
 * port is allowed at any address.
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

/**
 * Allows DNS requests. The operator needs DNS for the hosts of effects, but not for the API server, which it reaches by
 * address.
 */
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
 * Limits the connections of the operator. Incoming: its metrics, and the conversion webhook. Outgoing: the API server, the hosts
 * of effects, and DNS to find these hosts. Kubelets reach the pods of their node regardless of policies.
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
