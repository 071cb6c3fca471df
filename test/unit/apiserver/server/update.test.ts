import { describe, expect, it } from 'vitest';
import { boxKind } from '../support/permissive-kinds.ts';
import { objectIn, ServerBench, START, said } from '../support/server-bench.ts';

const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

// Answers of kube-apiserver 1.36.4 for a custom resource, unless a test states otherwise.
describe('update', () => {
  it('createApiServer() changes an object whose version is the latest, and no other', () => {
    const bench = new ServerBench();
    const first = objectIn(bench.create('a'));
    const second = objectIn(bench.update('a', { ...first, spec: { size: 2 } }));
    expect(second.metadata).toMatchObject({ generation: 2, resourceVersion: bench.server.resourceVersion });
    expect(said(bench.update('a', { ...first, spec: { size: 3 } }))).toBe(
      `409 Operation cannot be fulfilled on shelves.lib.example.com "a": ${MODIFIED}`,
    );
    expect(objectIn(bench.get('a'))).toBe(second);
  });

  it('createApiServer() keeps the version when nothing changes, also later', () => {
    const bench = new ServerBench();
    const first = objectIn(bench.create('a'));
    bench.now = START + 60_000;
    expect(objectIn(bench.update('a', first))).toBe(first);
    expect(objectIn(bench.merge('a', { spec: { size: 1 } }))).toBe(first);
  });

  it('createApiServer() keeps its own copy of a body with parts that can change', () => {
    const bench = new ServerBench();
    const first = objectIn(bench.create('a'));
    const parts = { left: 1 };
    const stored = objectIn(bench.update('a', Object.freeze({ ...first, spec: Object.freeze({ size: 2, parts }) })));
    parts.left = 2;
    expect(stored['spec']).toEqual({ size: 2, parts: { left: 1 } });
  });

  it('createApiServer() stores only the members that a body shows, even if the body is frozen', () => {
    const bench = new ServerBench();
    let size = 1;
    const hidden = { enumerable: false, get: () => expect.unreachable() };
    const getter = { enumerable: true, get: () => size };
    const spec = Object.freeze(Object.defineProperties({}, { hidden, size: getter }));
    const stored = objectIn(bench.create('a', {}, { body: bench.body('a', {}, { spec }) }));
    size = 2;
    expect(stored['spec']).toStrictEqual({ size: 1 });
    expect(Object.getOwnPropertyNames(stored['spec'])).toEqual(['size']);
  });

  it('createApiServer() shares the parts of the stored object that a client sends back, at any depth', () => {
    interface Spec {
      readonly size: number;
      readonly deep: { readonly a: { readonly b: object } };
      readonly items: readonly object[];
    }
    const bench = new ServerBench();
    const body = bench.body('a', {}, { spec: { size: 1, deep: { a: { b: {} } }, items: [{ x: 1 }] } });
    const first = objectIn(bench.create('a', {}, { body }));
    const before = first['spec'] as Spec;
    const spec = { ...before, size: 2, items: [...before.items, { x: 2 }] };
    const after = objectIn(bench.update('a', { ...first, spec }))['spec'] as Spec;
    expect(after).toEqual({ size: 2, deep: { a: { b: {} } }, items: [{ x: 1 }, { x: 2 }] });
    expect(after.deep).toBe(before.deep);
    expect(after.items[0]).toBe(before.items[0]);
  });

  it('createApiServer() demands a version where updates are conditional', () => {
    const bench = new ServerBench();
    bench.create('a');
    const { code, body } = bench.update('a', bench.body('a'));
    expect([code, body['message'], body['details']]).toEqual([
      422,
      'shelves.lib.example.com "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      {
        name: 'a',
        group: 'lib.example.com',
        kind: 'shelves',
        causes: [
          {
            reason: 'FieldValueInvalid',
            message: 'Invalid value: 0: must be specified for an update',
            field: 'metadata.resourceVersion',
          },
        ],
      },
    ]);
  });

  it('createApiServer() needs no version where updates may be unconditional', () => {
    const bench = new ServerBench(boxKind);
    bench.create('a');
    const { metadata } = objectIn(bench.update('a', bench.body('a', { labels: { x: '1' } })));
    expect(metadata.labels).toEqual({ x: '1' });
    expect(said(bench.update('a', bench.body('a', { resourceVersion: 'abc' })))).toBe(
      '500 strconv.ParseUint: parsing "abc": invalid syntax',
    );
  });

  it('createApiServer() creates by PUT where the kind allows it', () => {
    const bench = new ServerBench(boxKind);
    expect(said(bench.update('a', bench.body('a')))).toBe('201 Box');
    expect(said(new ServerBench().update('a', new ServerBench().body('a')))).toBe(
      '404 shelves.lib.example.com "a" not found',
    );
  });

  it('createApiServer() refuses another uid', () => {
    const bench = new ServerBench();
    const { uid } = objectIn(bench.create('a')).metadata;
    const why = `Precondition failed: UID in precondition: wrong, UID in object meta: ${uid}`;
    expect(said(bench.update('a', bench.body('a', { uid: 'wrong' })))).toBe(
      `409 Operation cannot be fulfilled on shelves.lib.example.com "a": StorageError: invalid object, Code: 4, Key: /registry/lib.example.com/shelves/default/a, ResourceVersion: 0, AdditionalErrorMsg: ${why}`,
    );
    expect(said(bench.merge('a', { metadata: { uid: 'zz' } }))).toBe(
      '422 Shelf.lib.example.com "a" is invalid: metadata.uid: Invalid value: "zz": field is immutable',
    );
  });

  it.each([
    ['b', {}, '400 the name of the object (b) does not match the name on the URL (a)'],
    ['', {}, '400 the name of the object (a based on URL) was undeterminable: name must be provided'],
    [
      'a',
      { namespace: 'other' },
      '400 the namespace of the provided object does not match the namespace sent on the request',
    ],
  ])('createApiServer() refuses a body that is not what the URL says: %s %j', (name, meta, expected) => {
    const bench = new ServerBench();
    bench.create('a');
    expect(said(bench.update('a', bench.body(name, meta)))).toBe(expected);
  });

  it('createApiServer() puts back what an update cannot change', () => {
    const bench = new ServerBench();
    const first = objectIn(bench.create('a'));
    const meta = { ...first.metadata, generation: 9, creationTimestamp: '2001-01-01T00:00:00Z', labels: { x: '1' } };
    const { metadata } = objectIn(bench.update('a', { ...first, metadata: meta }));
    expect([metadata.generation, metadata.creationTimestamp]).toEqual([1, first.metadata.creationTimestamp]);
  });

  it('createApiServer() says everything twice that is wrong with changed metadata, as the real one', () => {
    const bench = new ServerBench();
    const { uid } = objectIn(bench.create('a')).metadata;
    expect(uid).toBeDefined();
    const { details } = bench.merge('a', { metadata: { deletionTimestamp: '2001-01-01T00:00:00Z' } }).body as {
      details: { causes: readonly { message: string }[] };
    };
    expect(details.causes.map(({ message }) => message)).toEqual([
      'Invalid value: "2001-01-01T00:00:00Z": field is immutable',
      'Invalid value: "2001-01-01T00:00:00Z": field is immutable',
    ]);
  });

  it('createApiServer() writes the status by its subresource only', () => {
    const bench = new ServerBench();
    const first = objectIn(bench.create('a'));
    expect(objectIn(bench.update('a', { ...first, status: { n: 1 } }))).not.toHaveProperty('status');
    const patch = { spec: { size: 7 }, status: { n: 1 } };
    const second = objectIn(bench.merge('a', patch, { subresource: 'status' }));
    expect([second['spec'], second['status'], second.metadata.generation]).toEqual([{ size: 1 }, { n: 1 }, 1]);
    expect(second.metadata.managedFields?.map(({ subresource }) => subresource)).toEqual([undefined, 'status']);
  });

  it('createApiServer() refuses finalizers that are new when the object is terminating', () => {
    const bench = new ServerBench();
    bench.create('a', { finalizers: ['a.b/c'] });
    bench.delete('a');
    expect(said(bench.merge('a', { metadata: { finalizers: ['a.b/c', 'a.b/z'] } }))).toBe(
      '422 Shelf.lib.example.com "a" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a.b/z"}',
    );
  });

  it('createApiServer() removes a terminating object with its last finalizer, except in a dry run', () => {
    const bench = new ServerBench();
    bench.create('a', { finalizers: ['a.b/c'] });
    const terminating = objectIn(bench.delete('a'));
    const gone = { metadata: { finalizers: null } };
    bench.merge('a', gone, { options: { dryRun: true } });
    expect(objectIn(bench.get('a'))).toBe(terminating);
    const { metadata } = objectIn(bench.merge('a', gone));
    expect([metadata.finalizers, metadata.resourceVersion]).toEqual([undefined, terminating.metadata.resourceVersion]);
    expect(said(bench.get('a'))).toBe('404 shelves.lib.example.com "a" not found');
  });

  it('createApiServer() stores nothing in a dry run', () => {
    const bench = new ServerBench();
    const first = objectIn(bench.create('a'));
    const tried = objectIn(bench.merge('a', { spec: { size: 2 } }, { options: { dryRun: true } }));
    expect([tried['spec'], tried.metadata.resourceVersion]).toEqual([{ size: 2 }, first.metadata.resourceVersion]);
    expect(objectIn(bench.get('a'))).toBe(first);
  });
});
