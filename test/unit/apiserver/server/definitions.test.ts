import { describe, expect, it } from 'vitest';
import { definitionKind } from '#lib/apiserver/crd/definition-kind.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { namesIn, objectIn, ServerBench, said } from '#test/unit/apiserver/support/server-bench.ts';

const schema = {
  openAPIV3Schema: {
    type: 'object',
    properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
  },
};

const definition = (versions: readonly object[] = [{ name: 'v1', served: true, storage: true, schema }]) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'books.lib.example.com' },
  spec: { group: 'lib.example.com', scope: 'Namespaced', names: { plural: 'books', kind: 'Book' }, versions },
});

const books = { group: 'lib.example.com', version: 'v1', plural: 'books' };

/** A bench with one CRD, and short functions for its instances. */
const definitionBench = (versions?: readonly object[]) => {
  const bench = new ServerBench(definitionKind, { kinds: [definitionKind] });
  bench.create('', {}, { body: definition(versions) });
  const place = { resource: books, namespace: 'default' };
  const create = (name: string, meta: object = {}, spec: object = { size: 1 }) =>
    bench.server.handle({
      ...place,
      verb: 'create',
      body: { apiVersion: 'lib.example.com/v1', kind: 'Book', metadata: { name, ...meta }, spec },
    });
  return {
    bench,
    create,
    list: (version = 'v1') => bench.server.handle({ ...place, verb: 'list', resource: { ...books, version } }),
    free: (name: string) =>
      bench.server.handle({
        ...place,
        verb: 'patch',
        patchType: 'merge',
        name,
        body: { metadata: { finalizers: null } },
      }),
  };
};

const conditionsOf = (crd: ServerObject): Readonly<Record<string, string>> => {
  const { conditions } = crd['status'] as { conditions: readonly { type: string; status: string }[] };
  return Object.fromEntries(conditions.map(({ type, status }) => [type, status]));
};

describe('definitions', () => {
  it('createApiServer() serves what a definition defines as soon as it is stored', () => {
    const { bench, create, list } = definitionBench();
    expect(conditionsOf(objectIn(bench.get('books.lib.example.com')))).toEqual({
      NamesAccepted: 'True',
      Established: 'True',
    });
    expect(said(create('a', {}, { size: 1, zip: 2 }))).toBe('201 Book');
    expect((list().body['items'] as readonly ServerObject[])[0]?.['spec']).toEqual({ size: 1 });
  });

  it('createApiServer() does not serve what has a name that is taken', () => {
    const { bench } = definitionBench();
    const other = definition();
    const body = {
      ...other,
      metadata: { name: 'volumes.lib.example.com' },
      spec: { ...other.spec, names: { plural: 'volumes', kind: 'Book' } },
    };
    bench.create('', {}, { body });
    expect(conditionsOf(objectIn(bench.get('volumes.lib.example.com')))).toEqual({
      NamesAccepted: 'False',
      Established: 'False',
    });
    expect(said(bench.server.handle({ verb: 'list', resource: { ...books, plural: 'volumes' } }))).toBe(
      '404 the server could not find the requested resource',
    );
  });

  it('createApiServer() shows objects in every version, stored in one', () => {
    const versions = [
      { name: 'v1', served: true, storage: false, schema },
      { name: 'v2', served: true, storage: true, schema },
    ];
    const { bench, create, list } = definitionBench(versions);
    expect(objectIn(create('a')).apiVersion).toBe('lib.example.com/v1');
    const shown = ['v1', 'v2'].map(
      (version) => (list(version).body['items'] as readonly ServerObject[])[0]?.apiVersion,
    );
    expect(shown).toEqual(['lib.example.com/v1', 'lib.example.com/v2']);
    expect(bench.server.objects(books)[0]?.apiVersion).toBe('lib.example.com/v2');
  });

  it('createApiServer() prunes what was stored when the schema loses a field', () => {
    const { bench, create, list } = definitionBench();
    create('a');
    const smaller = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: {} } } } };
    const versions = [{ name: 'v1', served: true, storage: true, schema: smaller }];
    expect(bench.merge('books.lib.example.com', { spec: { versions } }).code).toBe(200);
    expect((list().body['items'] as readonly ServerObject[])[0]?.['spec']).toEqual({});
  });

  it('delete() takes the instances away and stops serving', () => {
    const { bench, create } = definitionBench();
    create('a');
    const terminating = objectIn(bench.delete('books.lib.example.com'));
    expect(terminating.metadata.finalizers).toEqual(['customresourcecleanup.apiextensions.k8s.io']);
    expect(bench.get('books.lib.example.com').code).toBe(404);
    expect(bench.server.objects(books)).toEqual([]);
    expect(said(create('b'))).toBe('404 the server could not find the requested resource');
  });

  it('delete() waits for instances that have finalizers, and refuses new ones', () => {
    const { bench, create, list, free } = definitionBench();
    create('a', { finalizers: ['a.b/c'] });
    create('b');
    bench.delete('books.lib.example.com');
    expect([namesIn(list()), bench.get('books.lib.example.com').code]).toEqual([['a'], 200]);
    expect(said(create('c'))).toBe(
      '403 books.lib.example.com "c" is forbidden: create not allowed while custom resource definition is terminating',
    );
    free('a');
    expect(bench.get('books.lib.example.com').code).toBe(404);
  });

  it('createApiServer() serves a definition that comes back, with other uids', () => {
    const { bench, create } = definitionBench();
    const first = objectIn(create('a')).metadata.uid;
    bench.delete('books.lib.example.com');
    bench.create('', {}, { body: definition() });
    expect(objectIn(create('a')).metadata.uid).not.toBe(first);
  });

  // A separate test, because a deletion of a collection does not go through the deletion of one object.
  it('createApiServer() forgets definitions that are deleted together, and their instances come back with them', () => {
    const { bench, create, list } = definitionBench();
    create('a');
    expect(namesIn(bench.deleteAll())).toEqual(['books.lib.example.com']);
    expect(bench.get('books.lib.example.com').code).toBe(404);
    expect(list().code).toBe(404);
    bench.create('', {}, { body: definition() });
    expect(namesIn(list())).toEqual(['a']);
  });
});
