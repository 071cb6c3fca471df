import { describe, expect, it } from 'vitest';
import { lampKind } from '../support/permissive-kinds.ts';
import { brief, namesIn, objectIn, ServerBench, START, STARTED, said } from '../support/server-bench.ts';

const at = (seconds: number): string => `${new Date(START + seconds * 1000).toISOString().slice(0, 19)}Z`;

// Answers of kube-apiserver 1.36.4.
describe('delete', () => {
  it('createApiServer() removes an object that nothing holds and answers with a Status', () => {
    const bench = new ServerBench();
    const { uid } = objectIn(bench.create('a')).metadata;
    expect(bench.delete('a')).toEqual({
      code: 200,
      body: {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        details: { name: 'a', group: 'lib.example.com', kind: 'shelves', uid },
      },
    });
    expect(said(bench.get('a'))).toBe('404 shelves.lib.example.com "a" not found');
    expect(said(bench.delete('a'))).toBe('404 shelves.lib.example.com "a" not found');
  });

  it('createApiServer() refuses a deletion whose preconditions fail', () => {
    const bench = new ServerBench();
    const { uid, resourceVersion } = objectIn(bench.create('a')).metadata;
    const conflict = '409 Operation cannot be fulfilled on Shelf.lib.example.com "a"';
    expect(said(bench.delete('a', { preconditions: { uid: 'x' } }))).toBe(
      `${conflict}: the UID in the precondition (x) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
    expect(said(bench.delete('a', { preconditions: { resourceVersion: '1' } }))).toBe(
      `${conflict}: the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
    expect(bench.delete('a', { preconditions: { uid, resourceVersion } }).body['status']).toBe('Success');
  });

  it('createApiServer() refuses the resource version as a precondition if the deletion removes the last finalizer', () => {
    const bench = new ServerBench();
    bench.create('a');
    bench.delete('a', { propagationPolicy: 'Orphan' });
    const { uid, resourceVersion } = objectIn(bench.get('a')).metadata;
    const options = { propagationPolicy: 'Background', preconditions: { uid, resourceVersion } };
    expect(said(bench.delete('a', options))).toContain(
      `Precondition failed: ResourceVersion in precondition: , ResourceVersion in object meta: ${resourceVersion}`,
    );
    expect(bench.delete('a', { ...options, preconditions: { uid } }).body['status']).toBe('Success');
  });

  it('createApiServer() marks an object with finalizers, once', () => {
    const bench = new ServerBench();
    bench.create('a', { finalizers: ['a.b/c'] });
    const marked = objectIn(bench.delete('a'));
    expect(marked.metadata).toMatchObject({ deletionTimestamp: STARTED, deletionGracePeriodSeconds: 0, generation: 2 });
    bench.now += 5000;
    expect(objectIn(bench.delete('a'))).toBe(marked);
    expect(objectIn(bench.get('a'))).toBe(marked);
  });

  it.each([
    [{ propagationPolicy: 'Foreground' }, ['foregroundDeletion']],
    [{ propagationPolicy: 'Orphan' }, ['orphan']],
    [{ orphanDependents: true }, ['orphan']],
  ])(
    'createApiServer() adds the finalizer of the garbage collector for %j, and takes it away again',
    (body, finalizers) => {
      const bench = new ServerBench();
      bench.create('a');
      expect(objectIn(bench.delete('a', body)).metadata.finalizers).toEqual(finalizers);
      expect(objectIn(bench.delete('a')).metadata.finalizers).toEqual(finalizers);
      expect(bench.delete('a', { propagationPolicy: 'Background' }).body['status']).toBe('Success');
    },
  );

  it('createApiServer() answers 202 when dependents are not orphaned and the object stays', () => {
    const bench = new ServerBench();
    bench.create('a', { finalizers: ['a.b/c'] });
    expect(bench.delete('a', { orphanDependents: false }).code).toBe(202);
  });

  it.each([
    [
      { propagationPolicy: 'Foo' },
      '422 DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Foo": supported values: "Foreground", "Background", "Orphan", "nil"',
    ],
    [
      { propagationPolicy: 'Orphan', orphanDependents: true },
      '422 DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
    ],
    [
      { kind: 'Foo', apiVersion: 'v1' },
      '400 no kind "Foo" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      { kind: 'Foo' },
      '400 no kind "Foo" is registered for version "meta.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      { kind: { toString: 0 } },
      "400 couldn't get version/kind; json parse error: json: cannot unmarshal object into Go struct field .kind of type string",
    ],
    [
      { preconditions: [] },
      '400 json: cannot unmarshal array into Go struct field DeleteOptions.preconditions of type v1.Preconditions',
    ],
    [
      { dryRun: [{ toString: 0 }] },
      '400 json: cannot unmarshal object into Go struct field DeleteOptions.dryRun of type string',
    ],
    [
      { gracePeriodSeconds: 0.5 },
      '400 json: cannot unmarshal number 0.5 into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
    ],
    [
      { gracePeriodSeconds: 'x' },
      '400 json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
    ],
  ])('createApiServer() refuses the options %j', (body, expected) => {
    const bench = new ServerBench();
    bench.create('a');
    expect(said(bench.delete('a', body))).toBe(expected);
  });

  it('createApiServer() deletes nothing in a dry run that the body asks for; the query counts without a body only', () => {
    const bench = new ServerBench();
    const first = objectIn(bench.create('a'));
    expect(bench.delete('a', { dryRun: ['All'] }).body['status']).toBe('Success');
    expect(bench.delete('a', undefined, { options: { dryRun: true } }).body['status']).toBe('Success');
    expect(objectIn(bench.get('a'))).toBe(first);
    bench.delete('a', {}, { options: { dryRun: true } });
    expect(bench.get('a').code).toBe(404);
  });

  it('createApiServer() deletes what a selector selects and answers with the list', () => {
    const bench = new ServerBench();
    for (const [name, app] of [
      ['a', 'x'],
      ['b', 'y'],
      ['c', 'x'],
    ] as const)
      bench.create(name, { labels: { app } });
    const answer = bench.deleteAll({ options: { labelSelector: 'app=x' } });
    expect([answer.code, namesIn(answer), namesIn(bench.list())]).toEqual([200, ['a', 'c'], ['b']]);
  });
});

/** A bench with a lamp `a` whose deletion takes ten seconds. */
const lampBench = (meta: object = {}): ServerBench => {
  const bench = new ServerBench(lampKind);
  bench.create('a', {}, { body: { ...bench.body('a', { ...meta }), spec: { seconds: 10 } } });
  return bench;
};

describe('graceful deletion', () => {
  it('createApiServer() lets an object live on, and removes it when that is cut to nothing', () => {
    const bench = lampBench();
    const { events } = bench.watch({ resourceVersion: bench.server.resourceVersion });
    const { metadata } = objectIn(bench.delete('a'));
    expect(metadata).toMatchObject({ deletionTimestamp: at(10), deletionGracePeriodSeconds: 10, generation: 2 });
    const last = objectIn(bench.delete('a', { gracePeriodSeconds: 0 }));
    expect([last.kind, last.metadata.deletionTimestamp]).toEqual(['Lamp', at(0)]);
    expect(bench.get('a').code).toBe(404);
    expect(brief(events).map((event) => event.split('@')[0])).toEqual(['MODIFIED a', 'MODIFIED a', 'DELETED a']);
  });

  it('createApiServer() shortens the time that is left, and never makes it longer', () => {
    const bench = lampBench();
    const first = objectIn(bench.delete('a'));
    expect(objectIn(bench.delete('a', { gracePeriodSeconds: 60 }))).toBe(first);
    bench.now += 2000;
    expect(objectIn(bench.delete('a', { gracePeriodSeconds: 5 })).metadata).toMatchObject({
      deletionTimestamp: at(5),
      deletionGracePeriodSeconds: 5,
    });
    bench.now += 2000;
    expect(objectIn(bench.delete('a', { gracePeriodSeconds: 3 })).metadata).toMatchObject({
      deletionTimestamp: at(4),
      deletionGracePeriodSeconds: 1,
    });
  });

  it('createApiServer() keeps an object with finalizers when its time is cut to nothing', () => {
    const bench = lampBench({ finalizers: ['a.b/c'] });
    bench.delete('a');
    expect(objectIn(bench.delete('a', { gracePeriodSeconds: 0 })).metadata).toMatchObject({
      deletionGracePeriodSeconds: 0,
      finalizers: ['a.b/c'],
    });
    bench.merge('a', { metadata: { finalizers: null } });
    expect(bench.get('a').code).toBe(404);
  });

  it('createApiServer() keeps an object without finalizers until its time is over', () => {
    const bench = lampBench({ finalizers: ['a.b/c'] });
    bench.delete('a');
    bench.merge('a', { metadata: { finalizers: null } });
    expect(objectIn(bench.get('a')).metadata.deletionGracePeriodSeconds).toBe(10);
  });

  it('createApiServer() takes a negative time for a second', () => {
    expect(objectIn(lampBench().delete('a', { gracePeriodSeconds: -5 })).metadata.deletionGracePeriodSeconds).toBe(1);
  });
});
