import { describe, expect, it } from 'vitest';
import type { OperatorProps } from '#constructs/operator/operator.ts';
import { greeting } from '#test/examples/greeting.ts';
import { made } from './made.ts';

interface Policy {
  readonly policyTypes: readonly string[];
  readonly ingress: readonly object[];
  readonly egress: readonly object[];
}

const policy = (props: Partial<OperatorProps> = {}) => made<Policy>('NetworkPolicy', props)[0]?.spec;

const tcp = (port: number) => ({ port, protocol: 'TCP' });
const namespace = (name: string) => ({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } });
const toHosts = (...allowedHosts: string[]) => policy({ effects: { allowedHosts } })?.egress.slice(1);
const dnsIn = (name: string, matchLabels: object) => ({
  ports: [{ port: 53, protocol: 'UDP' }, tcp(53)],
  to: [{ ...namespace(name), podSelector: { matchLabels } }],
});
const dns = dnsIn('kube-system', { 'k8s-app': 'kube-dns' });

describe('the network policy of an Operator', () => {
  it('lets metrics in and the API server’s ports out, and nothing else', () => {
    expect(policy()).toMatchObject({
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ ports: [tcp(8080)] }],
      egress: [{ ports: [tcp(443), tcp(6443)] }],
    });
    expect(policy()?.egress).toHaveLength(1);
  });

  it('lets the API server out at its addresses and ports when they are set', () => {
    const network = { apiServer: ['10.0.0.1/32', 'fd00::1/128'], apiServerPorts: [8443] };
    const to = [{ ipBlock: { cidr: '10.0.0.1/32' } }, { ipBlock: { cidr: 'fd00::1/128' } }];
    expect(policy({ network })?.egress).toEqual([{ ports: [tcp(8443)], to }]);
  });

  it('opens DNS and the namespace of a service that effects may ask', () => {
    expect(toHosts('prometheus.monitoring:9090')).toEqual([
      dns,
      { to: [namespace('monitoring')] },
      { ports: [tcp(9090)] },
    ]);
    for (const host of ['prometheus.monitoring.svc', 'prometheus.monitoring.svc.cluster.local', '*.monitoring.svc'])
      expect(toHosts(`${host}:9090`)).toEqual([dns, { to: [namespace('monitoring')] }]);
  });

  it('opens the port of a name outside, wherever it is, and one address when it is one', () => {
    expect(toHosts('hooks.example.com', '*.example.org')).toEqual([dns, { ports: [tcp(443)] }]);
    expect(toHosts('192.0.2.7:8443')).toEqual([
      dns,
      { ports: [tcp(8443)], to: [{ ipBlock: { cidr: '192.0.2.7/32' } }] },
    ]);
    expect(toHosts('[2001:db8::1]:8443')).toEqual([
      dns,
      { ports: [tcp(8443)], to: [{ ipBlock: { cidr: '2001:db8::1/128' } }] },
    ]);
  });

  it('opens the one address that is meant when it is spelled oddly, and no namespace', () => {
    const loopback = { ports: [tcp(8443)], to: [{ ipBlock: { cidr: '127.0.0.1/32' } }] };
    for (const host of ['127.1', '0x7f.1', '2130706433', '0177.0.0.1'])
      expect(toHosts(`${host}:8443`)).toEqual([dns, loopback]);
    expect(toHosts('[2001:DB8:0:0::1]:8443')).toEqual([
      dns,
      { ports: [tcp(8443)], to: [{ ipBlock: { cidr: '2001:db8::1/128' } }] },
    ]);
  });

  it('asks the DNS that it is given', () => {
    const network = { dns: { namespace: 'openshift-dns', labels: { app: 'dns' } } };
    const effects = { webhookHosts: ['hooks.example.com'] };
    expect(policy({ network, effects })?.egress).toContainEqual(dnsIn('openshift-dns', { app: 'dns' }));
    const other = { dns: { ...network.dns, ports: [53, 5353] } };
    expect(policy({ network: other, effects })?.egress[1]).toMatchObject({
      ports: [{ port: 53, protocol: 'UDP' }, tcp(53), { port: 5353, protocol: 'UDP' }, tcp(5353)],
    });
  });

  it('lets the namespaces in that scrape, and the API server to the webhook alone', () => {
    const kinds = [greeting];
    const metrics = { ports: [tcp(8080)] };
    const from = [{ ipBlock: { cidr: '10.0.0.1/32' } }];
    expect(policy({ kinds })?.ingress).toEqual([metrics, { ports: [tcp(9443)] }]);
    expect(policy({ kinds, network: { apiServer: ['10.0.0.1/32'] } })?.ingress).toEqual([
      metrics,
      { ports: [tcp(9443)], from },
    ]);
    const network = { apiServer: ['10.0.0.2/32'], webhookFrom: ['10.0.0.1/32'], metricsFrom: ['monitoring'] };
    expect(policy({ kinds, network })?.ingress).toEqual([
      { ...metrics, from: [namespace('monitoring')] },
      { ports: [tcp(9443)], from },
    ]);
  });

  it('opens the namespace of a service whatever the case of its name, and none for a wildcard', () => {
    expect(toHosts('Prometheus.Monitoring.svc:9090')).toContainEqual({ to: [namespace('monitoring')] });
    expect(toHosts('*.example.com:9090')).toEqual([dns, { ports: [tcp(9090)] }]);
  });
});
