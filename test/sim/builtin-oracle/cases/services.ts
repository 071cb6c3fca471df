import type { JsonObject } from '#lib/json.ts';
import type { Case, Change } from '../case.ts';

const service = (name: string, spec: JsonObject, changes: readonly Change[] = []): Case => ({
  name: `service: ${name}`,
  kind: 'Service',
  object: { metadata: { name: 's' }, spec },
  changes,
});

const spec = (merge: JsonObject): Change => ({ merge: { spec: merge } });

const ports = [{ port: 80 }];

/** Services. */
export const services: readonly Case[] = [
  service('the smallest one', { ports }),
  service('several ports', {
    selector: { a: 'b' },
    ports: [
      { name: 'a', port: 80, targetPort: 'http' },
      { name: 'b', port: 80, protocol: 'UDP', targetPort: 8080, appProtocol: 'example.com/x' },
    ],
    sessionAffinity: 'ClientIP',
    publishNotReadyAddresses: true,
    internalTrafficPolicy: 'Local',
    trafficDistribution: 'PreferClose',
  }),
  service('headless', { clusterIP: 'None', selector: { a: 'b' } }),
  service('headless without a selector', { clusterIP: 'None', ports: [{ port: 1, targetPort: 0 }] }),
  service('a name elsewhere', { type: 'ExternalName', externalName: 'a.example.com.' }, [spec({ externalName: 'b' })]),
  service('node ports', {
    type: 'NodePort',
    ports: [
      { name: 'a', port: 1 },
      { name: 'b', port: 1, protocol: 'UDP' },
      { name: 'c', port: 2 },
    ],
  }),
  service('a load balancer', { type: 'LoadBalancer', ports }, [
    {
      subresource: 'status',
      merge: { status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }, { hostname: 'a.b' }] } } },
    },
    { subresource: 'status', merge: { status: { loadBalancer: { ingress: [{ ip: 'x', hostname: 'A' }] } } } },
    { merge: { metadata: { labels: { a: 'b' } } } },
  ]),
  service('no ports', {}),
  service('ports without names', { ports: [{ port: 1 }, { port: 2 }] }),
  service('wrong ports', {
    ports: [
      { name: 'a', port: 0 },
      { name: 'a', port: 70_000, protocol: 'X', targetPort: 'A--' },
      { name: 'B', port: 5, nodePort: 30_000, appProtocol: 'a b' },
      { name: 'c', port: 5 },
    ],
  }),
  service('wrong values', {
    type: 'X',
    ports,
    sessionAffinity: 'Y',
    selector: { 'a b': 'c' },
    internalTrafficPolicy: 'Z',
    externalTrafficPolicy: 'Local',
    trafficDistribution: 'W',
    allocateLoadBalancerNodePorts: true,
  }),
  service('a wrong timeout', {
    ports,
    sessionAffinity: 'ClientIP',
    sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } },
  }),
  service('a name elsewhere, with addresses', { type: 'ExternalName', clusterIP: '10.0.0.5', ports }),
  service('a node port without an address', { type: 'NodePort', clusterIP: 'None', ports }),
  service('an address that is none', { clusterIP: 'x', ports }),
  service('an address outside', { clusterIP: '10.1.0.5', ports }),
  service('an address that is taken', { clusterIP: '10.0.0.1', ports }),
  service('addresses that do not fit', { clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.8'], ports }),
  service('another family', { ipFamilies: ['IPv6'], ports }),
  service('two families', { ipFamilyPolicy: 'RequireDualStack', ports }),
  service('an optional second family', { ipFamilyPolicy: 'PreferDualStack', ports }),
  service('unknown families', { ipFamilyPolicy: 'X', ipFamilies: ['Y', 'Y'], ports }),
  service('node ports of its own', {
    type: 'NodePort',
    ports: [
      { name: 'a', port: 1, nodePort: 31_000 },
      { name: 'b', port: 1, protocol: 'UDP' },
      { name: 'c', port: 2, nodePort: 31_000, protocol: 'UDP' },
    ],
  }),
  service('one node port for two protocols', {
    type: 'NodePort',
    ports: [
      { name: 'a', port: 1, nodePort: 31_000 },
      { name: 'b', port: 1, protocol: 'UDP', nodePort: 31_000 },
    ],
  }),
  service('a node port outside', { type: 'NodePort', ports: [{ port: 1, nodePort: 5 }] }),
  service('changes', { ports, selector: { a: 'b' } }, [
    spec({ clusterIP: null, clusterIPs: null, ports: [{ port: 81 }] }),
    spec({ clusterIP: '10.0.0.77' }),
    spec({ clusterIP: 'None', clusterIPs: ['None'] }),
    spec({ selector: null }),
    spec({ sessionAffinity: 'ClientIP' }),
    spec({ sessionAffinity: 'None' }),
    spec({
      ports: [
        { port: 80, name: 'a' },
        { port: 80, name: 'b' },
      ],
    }),
    { subresource: 'status', merge: { status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } } } },
  ]),
  service('node ports are kept', { type: 'NodePort', ports }, [spec({ ports: [{ port: 81 }] })]),
];
