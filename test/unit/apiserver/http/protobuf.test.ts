import { describe, expect, it } from 'vitest';
import { decodeProtobuf } from '#lib/apiserver/http/encoding/protobuf.ts';

/** Encodes the parts of protobuf's wire format that the tests need: numbers below 128, tags and lengths below 2^14. */
const varint = (value: number): Buffer =>
  value < 128 ? Buffer.from([value]) : Buffer.from([(value & 127) | 128, value >> 7]);
const field = (number: number, value: number | string | Buffer): Buffer => {
  if (typeof value === 'number') return Buffer.concat([varint(number << 3), varint(value)]);
  const bytes = Buffer.from(value as string);
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
};
const message = (...fields: readonly Buffer[]): Buffer => Buffer.concat(fields);
const object = (apiVersion: string, kind: string, raw: Buffer): Buffer =>
  message(Buffer.from('k8s\0'), field(1, message(field(1, apiVersion), field(2, kind))), field(2, raw));

describe('decodeProtobuf()', () => {
  it('reads metadata, maps, lists, quantities and numbers', () => {
    const metadata = message(
      field(1, 'q'),
      field(8, Buffer.alloc(0)),
      field(11, message(field(1, 'a'), field(2, 'b'))),
    );
    const hard = message(field(1, 'pods'), field(2, message(field(1, '3'))));
    const spec = message(field(1, hard), field(2, 'BestEffort'), field(2, 'Terminating'));
    expect(decodeProtobuf(object('v1', 'ResourceQuota', message(field(1, metadata), field(2, spec))))).toEqual({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q', creationTimestamp: null, labels: { a: 'b' } },
      spec: { hard: { pods: '3' }, scopes: ['BestEffort', 'Terminating'] },
    });
  });

  it('puts what Go embeds where JSON has it, and distinguishes numbers from texts', () => {
    const port = message(field(1, 1), field(3, 'web'));
    const probe = message(field(1, message(field(2, message(field(1, '/x'), field(2, port))))), field(2, 7));
    const container = message(field(1, 'main'), field(10, probe));
    const pod = message(field(2, message(field(2, container))));
    expect(decodeProtobuf(object('v1', 'Pod', pod))['spec']).toEqual({
      containers: [{ name: 'main', livenessProbe: { httpGet: { path: '/x', port: 'web' }, initialDelaySeconds: 7 } }],
    });
  });

  it('reads the schema of a definition: keywords, any JSON, one schema or a flag', () => {
    const any = (json: string): Buffer => message(field(1, json));
    const member = (name: string, schema: Buffer): Buffer => field(29, message(field(1, name), field(2, schema)));
    const list = message(
      field(5, 'array'),
      field(24, message(field(1, message(field(5, 'string'))))),
      field(42, 'set'),
    );
    const schema = message(
      member('a', message(field(8, any('{"b":[1]}')), field(20, any('"x"')), field(20, any('2')))),
      member('l', list),
      member('m', message(field(30, message(field(1, 1))), field(38, 1))),
      member('n', message(field(30, message(field(1, 1), field(2, message(field(5, 'integer'))))))),
    );
    const version = message(field(1, 'v1'), field(2, 1), field(4, message(field(1, schema))));
    const definition = message(field(2, message(field(1, 'g'), field(7, version))));
    const read = decodeProtobuf(object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', definition));
    const properties = {
      a: { default: { b: [1] }, enum: ['x', 2] },
      l: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      m: { additionalProperties: true, 'x-kubernetes-preserve-unknown-fields': true },
      n: { additionalProperties: { type: 'integer' } },
    };
    expect(read['spec']).toEqual({
      group: 'g',
      versions: [{ name: 'v1', served: true, schema: { openAPIV3Schema: { properties } } }],
    });
  });

  it('refuses what is cut, of an unknown type, or no message at all', () => {
    const whole = object('v1', 'Namespace', message(field(1, message(field(1, 'n')))));
    for (const cut of [1, 2, 3]) expect(() => decodeProtobuf(whole.subarray(0, -cut))).toThrow('proto: ');
    expect(() => decodeProtobuf(object('v1', 'Nothing', Buffer.alloc(0)))).toThrow(
      'no message core.v1.Nothing is known',
    );
    expect(() => decodeProtobuf(Buffer.from('{}'))).toThrow('does not appear to be a protobuf message');
  });
});
