import { describe, expect, it } from 'vitest';
import { decodeProtobuf } from '#lib/sim/http/protobuf.ts';

/** Writes what the tests need of protobuf's wire format; numbers below 128 only. */
const field = (number: number, value: number | string | Buffer): Buffer => {
  if (typeof value === 'number') return Buffer.from([number << 3, value]);
  const bytes = Buffer.from(value as string);
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
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

  it('puts what Go embeds where JSON has it, and tells numbers from texts', () => {
    const port = message(field(1, 1), field(3, 'web'));
    const probe = message(field(1, message(field(2, message(field(1, '/x'), field(2, port))))), field(2, 7));
    const container = message(field(1, 'main'), field(10, probe));
    const pod = message(field(2, message(field(2, container))));
    expect(decodeProtobuf(object('v1', 'Pod', pod))['spec']).toEqual({
      containers: [{ name: 'main', livenessProbe: { httpGet: { path: '/x', port: 'web' }, initialDelaySeconds: 7 } }],
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
