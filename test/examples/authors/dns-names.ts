import { apply, ConfigMap, extendKind, Ingress, progressing, ready, stalled } from 'cdk8s-reconcile';

/** The annotation that asks for DNS records; its value is their time to live in seconds. */
const TTL = 'acme.io/dns-ttl';

/** Users may ask for names in this domain only: a record for another name could take over its traffic. */
const DOMAIN = '.apps.acme.io';

export const dnsNames = extendKind({
  of: Ingress,
  fields: [`metadata.annotations.${TTL}`, 'spec.rules', 'status.loadBalancer'],
  name: 'dns-names',
  group: 'net.acme.io',
  description: 'Each host of an Ingress with the annotation acme.io/dns-ttl has a DNS record.',
  owns: [ConfigMap],
  annotation: true,
  desired({ resource: { metadata, spec, status } }) {
    const ttl = metadata.annotations[TTL];
    const hosts = new Set(ttl === undefined ? [] : spec?.rules?.flatMap(({ host }) => host ?? []));
    const foreign = [...hosts].filter((host) => !host.endsWith(DOMAIN));
    const records = [...hosts].filter((host) => host.endsWith(DOMAIN));
    const addresses = (status?.loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }) => ip ?? hostname ?? []);
    const children = records.map((host) =>
      apply({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        // The host is in the name. So a host belongs to one Ingress of a namespace, and another one is stalled: NameConflict.
        metadata: { name: `dns.${host.replace('*', 'any')}`, labels: { 'net.acme.io/record': 'true' } },
        data: { name: host, ttl: ttl ?? '', targets: addresses.toSorted().join(',') },
      }),
    );
    if (foreign.length > 0)
      return { children, state: stalled('ForeignHost', `${foreign.join(', ')} is not in ${DOMAIN}`) };
    if (children.length > 0 && addresses.length === 0)
      return { children, state: progressing('NoAddress', 'the load balancer has no address yet') };
    return { children, state: ready('Published', `${children.length} records`) };
  },
});
