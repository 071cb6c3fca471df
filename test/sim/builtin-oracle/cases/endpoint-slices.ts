import type { JsonObject } from '#lib/json.ts';
import type { Case, Change } from '../case.ts';

const slice = (object: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: 'e', ...metadata },
  addressType: 'IPv4',
  endpoints: [],
  ...object,
});

const caseOf = (name: string, object: JsonObject, changes: readonly Change[] = []): Case => ({
  name: `endpointslice: ${name}`,
  kind: 'EndpointSlice',
  object,
  changes,
});

const endpoint = (...addresses: readonly string[]): JsonObject => ({ addresses });

const many = (count: number): JsonObject[] => Array.from({ length: count }, (_, index) => ({ name: `z${index}` }));

/** EndpointSlices: addresses of each type, ports, hints and changes. */
export const endpointSliceCases: readonly Case[] = [
  caseOf('the smallest one', slice({})),
  caseOf('no endpoints', { metadata: { name: 'e' }, addressType: 'IPv6' }),
  caseOf('no type', { metadata: { name: 'e' }, endpoints: [endpoint('10.0.0.1')] }),
  caseOf('a wrong name and type', { metadata: { name: 'E_' }, addressType: 'IPv5', endpoints: [endpoint('x')] }),
  caseOf(
    'all fields',
    slice({
      endpoints: [
        {
          addresses: ['10.0.0.1', '10.0.0.2'],
          conditions: { ready: true, serving: true, terminating: false },
          hostname: 'a',
          nodeName: 'node-1',
          zone: 'z',
          targetRef: { kind: 'Pod', name: 'p', namespace: 'oracle' },
          hints: { forZones: [{ name: 'z' }], forNodes: [{ name: 'node-1' }] },
        },
      ],
      ports: [{ port: 80 }, { name: 'b', protocol: 'UDP', port: 53, appProtocol: 'example.com/dns' }],
    }),
    [
      { merge: { endpoints: [endpoint('10.0.0.3')] } },
      { merge: { metadata: { labels: { a: 'b' } } } },
      { merge: { metadata: { annotations: { a: 'b' } } } },
      { merge: { addressType: 'IPv6' } },
    ],
  ),
  caseOf(
    'wrong IPv4 addresses',
    slice({
      endpoints: [
        endpoint(),
        endpoint('x', '010.0.0.1', '::1', '0.0.0.0', '127.0.0.1', '169.254.1.1', '224.0.0.1', '224.0.1.1'),
      ],
    }),
  ),
  caseOf(
    'wrong IPv6 addresses',
    slice({
      addressType: 'IPv6',
      endpoints: [endpoint('10.0.0.1', '::', '::1', 'fe80::1', 'ff02::1', 'ff0e::1', '::ffff:1.2.3.4', '2001:db8::1')],
    }),
  ),
  caseOf('domain names', slice({ addressType: 'FQDN', endpoints: [endpoint('example.com', 'example.com.')] })),
  caseOf(
    'wrong domain names',
    slice({ addressType: 'FQDN', endpoints: [endpoint('', 'com', 'A.b', `${'a'.repeat(64)}.b`)] }),
  ),
  caseOf(
    'too many addresses',
    slice({ endpoints: [endpoint(...Array.from({ length: 101 }, (_, i) => `10.0.0.${i}`))] }),
  ),
  caseOf(
    'wrong nodes, hosts and hints',
    slice({
      endpoints: [
        {
          addresses: ['10.0.0.1'],
          nodeName: 'A_',
          hostname: 'a.b',
          hints: { forZones: [{ name: 'a' }, { name: 'a' }, { name: 'a b' }] },
        },
        { addresses: ['10.0.0.1'], hints: { forZones: many(9) } },
        { addresses: ['10.0.0.1'], hints: { forNodes: many(9) } },
        { addresses: ['10.0.0.1'], hints: { forNodes: [{ name: 'A_' }, { name: 'b' }, { name: 'b' }] } },
      ],
    }),
  ),
  caseOf(
    'wrong ports',
    slice({
      ports: [{ name: 'A_' }, { name: 'b', protocol: 'ICMP' }, { name: 'b', appProtocol: 'a b' }, {}, {}],
    }),
  ),
  caseOf('deprecated topology', slice({ endpoints: [{ addresses: ['10.0.0.1'], deprecatedTopology: { a: 'b' } }] })),
];
