import { describe, expect, it } from 'vitest';
import { builtinKinds } from '#lib/apiserver/builtin/builtin-kinds.ts';
import type { ServedKind } from '#lib/apiserver/machinery/served-kind.ts';
import { shelfKind } from '#test/unit/apiserver/support/permissive-kinds.ts';
import { objectIn, ServerBench, STARTED, said } from '#test/unit/apiserver/support/server-bench.ts';

const namespaceKind = builtinKinds.find(({ plural }) => plural === 'namespaces') as ServedKind;

/** A bench for namespaces and shelves. */
const namespaceBench = (): ServerBench => {
  const bench = new ServerBench(namespaceKind, { kinds: [namespaceKind, shelfKind] });
  bench.create('n', {}, { body: bench.body('n', {}, {}) });
  return bench;
};

const shelves = new ServerBench();

const createShelf = (bench: ServerBench, namespace: string): string =>
  said(bench.server.handle({ verb: 'create', resource: shelves.resource, namespace, body: shelves.body('a') }));

const finalize = (bench: ServerBench, body: unknown): string =>
  said(bench.server.handle({ verb: 'update', resource: bench.resource, name: 'n', subresource: 'finalize', body }));

// Answers of kube-apiserver 1.36.4.
describe('namespaces', () => {
  it('createApiServer() makes the namespaces that are asked for', () => {
    const bench = new ServerBench(namespaceKind, { kinds: [namespaceKind], namespaces: ['default', 'kube-system'] });
    expect(bench.server.objects(bench.resource).map(({ metadata }) => metadata.name)).toEqual([
      'default',
      'kube-system',
    ]);
    expect(objectIn(bench.get('default'))).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': 'default' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  });

  it('delete() lets a namespace terminate, and nothing new is made in it', () => {
    const bench = namespaceBench();
    expect(createShelf(bench, 'n')).toBe('201 Shelf');
    const terminating = objectIn(bench.delete('n'));
    expect(terminating).toMatchObject({
      metadata: { deletionTimestamp: STARTED },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Terminating' },
    });
    expect(terminating.metadata).not.toHaveProperty('deletionGracePeriodSeconds');
    expect(objectIn(bench.delete('n'))).toBe(terminating);
    expect(createShelf(bench, 'n')).toBe(
      '403 shelves.lib.example.com "a" is forbidden: unable to create new content in namespace n because it is being terminated',
    );
    expect(createShelf(bench, 'nope')).toBe('404 namespaces "nope" not found');
  });

  it('createApiServer() refuses an apply in a terminating namespace before it reads the resource version', () => {
    const bench = namespaceBench();
    createShelf(bench, 'n');
    bench.delete('n');
    const answer = bench.server.handle({
      verb: 'patch',
      patchType: 'apply',
      resource: shelves.resource,
      namespace: 'n',
      name: 'b',
      body: shelves.body('b', { resourceVersion: 'x' }),
      options: { fieldManager: 'me' },
    });
    expect(said(answer)).toContain('403 ');
  });

  it('delete() refuses namespaces that the cluster cannot live without', () => {
    const bench = new ServerBench(namespaceKind, { kinds: [namespaceKind] });
    expect(said(bench.delete('default'))).toBe(
      '403 namespaces "default" is forbidden: this namespace may not be deleted',
    );
    expect(said(bench.deleteAll())).toBe('405 the server does not allow this method on the requested resource');
  });

  it('delete() checks preconditions in its own words', () => {
    const bench = namespaceBench();
    const { uid } = objectIn(bench.get('n')).metadata;
    expect(said(bench.delete('n', { preconditions: { uid: 'x' } }))).toBe(
      `409 Operation cannot be fulfilled on namespaces "n": Precondition failed: UID in precondition: x, UID in object meta: ${uid}`,
    );
  });

  it('finalize removes a terminating namespace when no finalizer is left, and no other update does', () => {
    const bench = namespaceBench();
    const terminating = objectIn(bench.delete('n'));
    expect(objectIn(bench.update('n', { ...terminating, spec: {} }))).toBe(terminating);
    expect(finalize(bench, { ...terminating, spec: {} })).toBe('200 Namespace');
    expect(said(bench.get('n'))).toBe('404 namespaces "n" not found');
  });

  it('finalize leaves an active namespace without finalizers, which two deletions remove', () => {
    const bench = namespaceBench();
    expect(finalize(bench, { ...bench.body('n', {}, { spec: {}, status: { phase: 'Foo' } }) })).toBe('200 Namespace');
    const { spec, status } = objectIn(bench.get('n'));
    expect({ spec, status }).toEqual({ spec: {}, status: { phase: 'Active' } });
    expect(objectIn(bench.delete('n'))['status']).toEqual({ phase: 'Terminating' });
    bench.delete('n');
    expect(bench.get('n').code).toBe(404);
  });

  it('finalize takes standard and qualified finalizers only, and PUT only', () => {
    const bench = namespaceBench();
    const namespace = objectIn(bench.get('n'));
    expect(finalize(bench, { ...namespace, spec: { finalizers: ['foo'] } })).toBe(
      '422 Namespace "n" is invalid: spec.finalizers[0]: Invalid value: "foo": name is neither a standard finalizer name nor is it fully qualified',
    );
    const get = { verb: 'get', resource: bench.resource, name: 'n', subresource: 'finalize' } as const;
    expect(said(bench.server.handle(get))).toBe('405 the server does not allow this method on the requested resource');
  });
});
