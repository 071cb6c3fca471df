import type { JsonObject } from '#lib/json.ts';
import { type Case, type Change, caseNamespace } from '../case.ts';

const of =
  (kind: string) =>
  (name: string, object: JsonObject, changes: readonly Change[] = []): Case => ({
    name: `${kind.toLowerCase()}: ${name}`,
    kind,
    object: { metadata: { name: 'x' }, ...object },
    changes,
  });

const configMap = of('ConfigMap');
const secret = of('Secret');
const lease = of('Lease');
const event = of('Event');
const namespace = of('Namespace');

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const involved = { kind: 'Pod', name: 'p', namespace: caseNamespace };

const configMaps: readonly Case[] = [
  configMap('empty', {}),
  configMap('data', { data: { a: '', 'b.c': 'x' }, binaryData: { d: base64('y'), e: '' }, immutable: false }),
  configMap('empty maps and nulls', { data: {}, binaryData: null, immutable: null }),
  configMap('null for a value', { data: { a: null } }),
  configMap('wrong keys', { data: { 'a b': '', '..': '', '..x': '' }, binaryData: { '': '' } }),
  configMap('a key in both', { data: { a: '' }, binaryData: { a: '' } }),
  configMap('too long', { data: { a: 'x'.repeat(1024 * 1024 + 1) } }),
  configMap('no base64', { binaryData: { a: '*' } }),
  configMap('a number', { data: { a: 1 } }),
  configMap('changes', { data: { a: 'b' } }, [
    { merge: { data: { c: 'd' } } },
    { merge: { data: null } },
    { merge: { immutable: true } },
    { merge: { data: { x: 'y' } } },
    { merge: { immutable: null, binaryData: { x: '' } } },
    { merge: { metadata: { labels: { a: 'b' } } } },
    { merge: { metadata: { finalizers: ['a'] } } },
    { merge: { metadata: { annotations: { 'a b': 'c' } } } },
  ]),
];

const secrets: readonly Case[] = [
  secret('empty', {}),
  secret('text over data', { data: { a: base64('old'), b: base64('kept') }, stringData: { a: 'new', c: 'ä' } }),
  secret('empty maps', { data: {}, stringData: {} }),
  secret('wrong keys', { data: { 'a b': '' } }),
  secret('no base64', { data: { a: 'abc' } }),
  secret('line breaks in base64', { data: { a: 'YW\nJj' } }),
  secret('basic auth', { type: 'kubernetes.io/basic-auth' }),
  secret('ssh auth', { type: 'kubernetes.io/ssh-auth', data: { 'ssh-privatekey': '' } }),
  secret('tls', { type: 'kubernetes.io/tls', data: { 'tls.crt': '' } }),
  secret('docker', { type: 'kubernetes.io/dockerconfigjson' }),
  secret('docker that is a list', { type: 'kubernetes.io/dockercfg', stringData: { '.dockercfg': '[]' } }),
  secret('a token without its account', { type: 'kubernetes.io/service-account-token' }),
  secret('a type of somebody', { type: 'example.com/x', immutable: true }, [
    { merge: { type: 'other' } },
    { merge: { stringData: { a: 'b' } } },
    { merge: { immutable: false } },
    { merge: { type: null, metadata: { labels: { a: 'b' } } } },
  ]),
];

const leases: readonly Case[] = [
  lease('empty', {}),
  lease(
    'held',
    {
      spec: {
        holderIdentity: 'a',
        leaseDurationSeconds: 15,
        leaseTransitions: 0,
        acquireTime: '2026-01-01T00:00:00.500000Z',
        renewTime: '2026-01-01T02:00:00.123456+02:00',
        preferredHolder: 'b',
        strategy: 'OldestEmulationVersion',
      },
    },
    [
      { merge: { spec: { renewTime: '2026-01-02T00:00:00.000000Z', holderIdentity: '' } } },
      { merge: { spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } } },
      { merge: { spec: null } },
    ],
  ),
  lease('a finalizer of a name without a domain', { metadata: { name: 'x', finalizers: ['y'] } }),
  lease('wrong numbers', { spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } }),
  lease('a wrong time', { spec: { renewTime: 'now' } }),
  lease('a time in milliseconds', { spec: { renewTime: '2026-01-01T00:00:00.123Z' } }),
  lease('a time in nanoseconds', { spec: { renewTime: '2026-01-01T00:00:00.123456789Z' } }),
  lease('a day that is none', { spec: { renewTime: '2026-02-30T00:00:00.000000Z' } }),
  lease('an hour that is none', { spec: { renewTime: '2026-02-20T24:00:00.000000Z' } }),
  lease('text after a time', { spec: { renewTime: '2026-02-20T23:00:00.000000Zx' } }),
  lease('a number for a time', { spec: { renewTime: 5 } }),
];

const events: readonly Case[] = [
  event(
    'plain',
    {
      involvedObject: involved,
      reason: 'r',
      message: 'm',
      type: 'Normal',
      source: { component: 'c' },
      count: 1,
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: null,
    },
    [{ merge: { count: 2, message: '' } }],
  ),
  event('without anything', {}),
  event('of another namespace', { involvedObject: { ...involved, namespace: 'other' } }),
  event('of the newer form', {
    involvedObject: involved,
    eventTime: '2026-01-01T00:00:00.000001Z',
    reportingComponent: 'example.com/c',
    reportingInstance: 'i',
    action: 'a',
    reason: 'r',
    series: { count: 2, lastObservedTime: '2026-01-01T00:00:00.000000Z' },
    related: { name: 'x' },
  }),
  event('of the newer form, incomplete', {
    involvedObject: {},
    eventTime: '2026-01-01T00:00:00.000000Z',
    message: 'x'.repeat(1025),
    action: 'x'.repeat(129),
  }),
];

const namespaces: readonly Case[] = [
  namespace('plain', { metadata: { name: 'ns-a' } }, [
    { merge: { metadata: { labels: { a: 'b', 'kubernetes.io/metadata.name': 'x' } } } },
    { merge: { spec: { finalizers: [] } } },
    { merge: { status: { phase: 'Terminating' } } },
    { subresource: 'status', merge: { status: { phase: 'Terminating' } } },
    { subresource: 'status', merge: { status: { conditions: [{ type: 'X', status: 'True' }] }, spec: null } },
  ]),
  namespace('with labels and finalizers', {
    metadata: { name: 'ns-b', labels: { a: 'b' } },
    spec: { finalizers: ['example.com/f'] },
    status: { phase: 'X' },
  }),
  namespace('a wrong name', { metadata: { name: 'a.b' } }),
  namespace('wrong finalizers', { metadata: { name: 'ns-c' }, spec: { finalizers: ['x', 'a b'] } }),
];

/** Objects that hold data: ConfigMaps, Secrets, Leases, Events; and Namespaces. */
export const dataCases: readonly Case[] = [...configMaps, ...secrets, ...leases, ...events, ...namespaces];
