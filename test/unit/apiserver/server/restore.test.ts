import { describe, expect, it } from 'vitest';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { createClusterServer } from '#lib/sim/cluster.ts';

const configMaps = { group: '', version: 'v1', plural: 'configmaps' };

const objectOf = (name: string, resourceVersion: string): ServerObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name,
    namespace: 'default',
    uid: `uid-of-${name}`,
    resourceVersion,
    creationTimestamp: '2020-02-02T02:02:02Z',
  },
  data: { a: '1' },
});

const target = { resource: configMaps, namespace: 'default', name: 'a' } as const;

describe('restore() of the virtual API server', () => {
  it('stores an object as it was, with its uid, version and times', () => {
    const server = createClusterServer(() => 0);
    server.restore(configMaps, objectOf('a', '4711'));
    expect(server.handle({ verb: 'get', ...target })).toEqual({ code: 200, body: objectOf('a', '4711') });
  });

  it('gives later writes higher versions than all that were restored', () => {
    const server = createClusterServer(() => 0);
    server.restore(configMaps, objectOf('a', '4711'));
    server.restore(configMaps, objectOf('b', '7'));
    const { body } = server.handle({ verb: 'patch', ...target, patchType: 'merge', body: { data: { a: '2' } } });
    expect(body).toMatchObject({ metadata: { resourceVersion: '4712', uid: 'uid-of-a' }, data: { a: '2' } });
  });

  it('gives an object without a version one of its own', () => {
    const server = createClusterServer(() => 0);
    server.restore(configMaps, objectOf('a', ''));
    expect(Number(server.objects(configMaps)[0]?.metadata.resourceVersion)).toBeGreaterThan(100);
  });

  it('gives an object that takes the name of a restored one another uid', () => {
    const made = createClusterServer(() => 0);
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    made.handle({ verb: 'create', resource: configMaps, namespace: 'default', body });
    const [first] = made.objects(configMaps);
    const server = createClusterServer(() => 0);
    if (first) server.restore(configMaps, first);
    server.handle({ verb: 'delete', ...target });
    server.handle({ verb: 'create', resource: configMaps, namespace: 'default', body });
    expect(server.objects(configMaps)[0]?.metadata.uid).not.toBe(first?.metadata.uid);
  });

  it('throws for a resource that is not served', () => {
    const server = createClusterServer(() => 0);
    expect(() => server.restore({ ...configMaps, plural: 'gadgets' }, objectOf('a', '1'))).toThrow(/could not find/);
  });
});
