import { k8s } from 'cdk8s-plus-27';
import type { Construct } from 'constructs';
import { hostEntryOf } from '#lib/desired/allowed-hosts.ts';
import { ipVersion } from './ip-version.ts';
import { type OperatorNames, operatorLabels, operatorSelector } from './names.ts';
import { CONVERSION_PORT, METRICS_PORT } from './ports.ts';

/** Where the operator may go. */
export interface NetworkProps {
  /** Addresses of the API server, each as CIDR, such as `10.0.0.1/32`. @default any address */
  readonly apiServer?: readonly string[];
  /** Ports of the API server behind its service: policies see those, not the service's. @default [443, 6443] */
  readonly apiServerPorts?: readonly number[];
}

/** What a policy is made of. */
export interface NetworkRules extends NetworkProps {
  /** Hosts of effects: `host`, `host:port`, `*.domain`. */
  readonly effectHosts: readonly string[] | undefined;
  /** The API server calls the conversion webhook. */
  readonly hasConversion: boolean;
}

const DEFAULT_PORTS = [443, 6443];

const tcp = (port: number): k8s.NetworkPolicyPort => ({ port: k8s.IntOrString.fromNumber(port), protocol: 'TCP' });

/** The label that every namespace has, set by the API server: kubernetes.io/docs/reference/labels-annotations-taints. */
const namespaceNamed = (name: string): k8s.LabelSelector => ({ matchLabels: { 'kubernetes.io/metadata.name': name } });

const apiServerRule = ({ apiServer, apiServerPorts = DEFAULT_PORTS }: NetworkProps): k8s.NetworkPolicyEgressRule => ({
  ports: apiServerPorts.map(tcp),
  ...(apiServer && { to: apiServer.map((cidr) => ({ ipBlock: { cidr } })) }),
});

/** The namespace in `service.namespace`, `service.namespace.svc` and `service.namespace.svc.cluster.local`. */
const serviceHost = /^[a-z0-9-]+\.(?<namespace>[a-z0-9-]+)(\.svc(\.cluster\.local)?)?$/;

/** Two names with a dot between them may be a service of the cluster as well as a domain: `prometheus.monitoring`, `example.com`. */
const namespaceOf = (host: string): string | undefined => serviceHost.exec(host)?.groups?.['namespace'];

const addressRule = (host: string, port: number): k8s.NetworkPolicyEgressRule => {
  const address = host.replace(/^\[|\]$/g, '');
  const version = ipVersion(address);
  const to = version === 0 ? undefined : [{ ipBlock: { cidr: `${address}/${version === 4 ? 32 : 128}` } }];
  return { ports: [tcp(port)], ...(to && { to }) };
};

/**
 * Policies know addresses and labels, not names. A service's pods listen on ports that its name does not tell, so its whole
 * namespace is opened; for a name outside, its port, wherever it is.
 */
const hostRules = (allowed: string): k8s.NetworkPolicyEgressRule[] => {
  const entry = hostEntryOf(allowed);
  if (entry === undefined) return [];
  const { isWildcard, host, port = 443 } = entry;
  const namespace = isWildcard ? undefined : namespaceOf(host);
  const outside = addressRule(host, port);
  return namespace === undefined ? [outside] : [{ to: [{ namespaceSelector: namespaceNamed(namespace) }] }, outside];
};

/** Names of hosts are looked up in the cluster's DNS; the API server is found by its address. */
const dnsRule: k8s.NetworkPolicyEgressRule = {
  ports: (['UDP', 'TCP'] as const).map((protocol) => ({ port: k8s.IntOrString.fromNumber(53), protocol })),
  to: [{ namespaceSelector: namespaceNamed('kube-system') }],
};

const unique = <T>(rules: readonly T[]): T[] => [
  ...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values(),
];

/**
 * What the operator may be reached by and may reach: its metrics; the API server, and the hosts of effects with the DNS that
 * finds them. Kubelets reach their own pods whatever a policy says.
 *
 * Assumptions: the cluster's network enforces policies.
 *
 * @see https://kubernetes.io/docs/concepts/services-networking/network-policies/
 */
export const addNetworkPolicy = (
  scope: Construct,
  names: OperatorNames,
  { effectHosts = [], hasConversion, ...network }: NetworkRules,
): k8s.KubeNetworkPolicy =>
  new k8s.KubeNetworkPolicy(scope, 'network-policy', {
    metadata: { name: names.name, namespace: names.namespace, labels: operatorLabels(names) },
    spec: {
      podSelector: { matchLabels: operatorSelector(names) },
      policyTypes: ['Ingress', 'Egress'],
      // The API server calls from the addresses of its nodes, which nobody here knows.
      ingress: [{ ports: [METRICS_PORT, ...(hasConversion ? [CONVERSION_PORT] : [])].map(tcp) }],
      egress: unique([
        apiServerRule(network),
        ...(effectHosts.length > 0 ? [dnsRule] : []),
        ...effectHosts.flatMap(hostRules),
      ]),
    },
  });
