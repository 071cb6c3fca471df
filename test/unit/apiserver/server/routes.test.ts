import { describe, expect, it } from 'vitest';
import { builtinKinds } from '#lib/apiserver/builtin/builtin-kinds.ts';
import type { ServerRequest } from '#lib/apiserver/machinery/request.ts';
import type { ServedKind } from '#lib/apiserver/machinery/served-kind.ts';
import { boxKind, shelfKind } from '#test/unit/apiserver/support/permissive-kinds.ts';
import { objectIn, ServerBench, said } from '#test/unit/apiserver/support/server-bench.ts';

const NO_RESOURCE = '404 the server could not find the requested resource';
const NO_VERB = '405 the server does not allow this method on the requested resource';

const core = (plural: string): ServerRequest['resource'] => ({ group: '', version: 'v1', plural });

const send = (request: ServerRequest): string => said(new ServerBench(boxKind).server.handle(request));

// Answers of kube-apiserver 1.36.4. For custom resources, it sends some of them as plain text.
describe('routes', () => {
  it.each<[ServerRequest, string]>([
    [{ verb: 'list', resource: core('foos') }, NO_RESOURCE],
    [{ verb: 'list', resource: { ...core('boxes'), version: 'v9' } }, NO_RESOURCE],
    [{ verb: 'get', resource: core('boxes'), name: 'a' }, NO_RESOURCE],
    [{ verb: 'create', resource: core('boxes'), body: {} }, NO_VERB],
    [{ verb: 'deletecollection', resource: core('boxes') }, NO_VERB],
    [{ verb: 'create', resource: core('boxes'), namespace: 'default', name: 'a', body: {} }, NO_VERB],
    [{ verb: 'update', resource: core('boxes'), namespace: 'default', body: {} }, NO_VERB],
    [{ verb: 'get', resource: core('boxes'), namespace: 'default', name: 'a', subresource: 'status' }, NO_RESOURCE],
    [{ verb: 'get', resource: core('boxes'), namespace: 'default', name: 'a', subresource: 'foo' }, NO_RESOURCE],
  ])('handle() refuses %j', (request, expected) => {
    expect(send(request)).toBe(expected);
  });

  it('handle() serves a kind without namespaces in no namespace', () => {
    const kind: ServedKind = { ...boxKind, scope: 'Cluster' };
    const { server } = new ServerBench(kind, { kinds: [kind] });
    const get = { verb: 'get', resource: core('boxes'), name: 'a' } as const;
    expect(said(server.handle({ ...get, namespace: 'default' }))).toBe(NO_RESOURCE);
    expect(said(server.handle(get))).toBe('404 boxes "a" not found');
  });

  it.each<[ServerRequest, string]>([
    [{ verb: 'list', resource: core('nodes') }, 'the resource nodes'],
    [
      { verb: 'get', resource: { group: 'batch', version: 'v1', plural: 'jobs' }, namespace: 'default', name: 'a' },
      'the resource jobs.batch',
    ],
  ])('handle() answers 501 by name for %j', (request, expected) => {
    expect(send(request)).toBe(
      `501 the virtual cluster does not implement ${expected}; see docs/virtual-cluster.md for what it does`,
    );
  });

  it.each([
    ['pods', 'eviction'],
    ['services', 'proxy'],
    ['nodes', 'proxy'],
    ['serviceaccounts', 'token'],
  ])('handle() answers 501 by name for %s/%s, which it does not serve', (plural, subresource) => {
    const bench = new ServerBench(undefined, { kinds: builtinKinds });
    const place = plural === 'nodes' ? {} : { namespace: 'default' };
    const request = { verb: 'create', resource: core(plural), ...place, name: 'p', body: {}, subresource } as const;
    expect(said(bench.server.handle(request))).toMatch(new RegExp(`^501 .* ${plural}/${subresource};`));
  });

  it('handle() answers 404 and 405 for subresources of custom resources by the name of the object', () => {
    const bench = new ServerBench();
    bench.create('a');
    const request = { resource: bench.resource, namespace: 'default', name: 'a' };
    expect(said(bench.server.handle({ ...request, verb: 'get', subresource: 'foo' }))).toBe(
      '404 shelves.lib.example.com "a" not found',
    );
    expect(said(bench.server.handle({ ...request, verb: 'delete', subresource: 'status' }))).toBe(
      '405 delete is not supported on resources of kind "shelves.lib.example.com"',
    );
  });

  it('handle() answers 500 when a strategy fails, and nothing is stored', () => {
    const strategy = {
      ...shelfKind.strategy,
      validateCreate: () => {
        throw new TypeError('oops');
      },
    };
    const kind: ServedKind = { ...shelfKind, strategy };
    const bench = new ServerBench(kind, { kinds: [kind] });
    const answer = bench.create('a');
    expect(said(answer)).toBe('500 Internal error occurred: TypeError: oops');
    expect(answer.body).toMatchObject({ kind: 'Status', apiVersion: 'v1', reason: 'InternalError' });
    expect(bench.server.objects(bench.resource)).toEqual([]);
  });

  it.each([
    [
      'x'.repeat(129),
      '422 CreateOptions.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes',
    ],
    [
      'a\tb',
      '422 CreateOptions.meta.k8s.io "" is invalid: fieldManager: Invalid value: "a\\tb": invalid character U+0009 (at position 1)',
    ],
  ])('handle() refuses the field manager %j', (fieldManager, expected) => {
    expect(said(new ServerBench().create('a', {}, { options: { fieldManager } }))).toBe(expected);
  });
});

/** A bench with one pod. */
const podBench = (): ServerBench => {
  const pods = builtinKinds.find(({ plural }) => plural === 'pods') as ServedKind;
  const made = new ServerBench(pods, { kinds: builtinKinds });
  made.create('p', {}, { body: made.body('p', {}, { spec: { containers: [{ name: 'c', image: 'i' }] } }) });
  return made;
};
const bind = (to: ServerBench, metadata: object, target: object): string =>
  said(
    to.server.handle({
      verb: 'create',
      resource: core('pods'),
      namespace: 'default',
      name: 'p',
      subresource: 'binding',
      body: { metadata, target },
    }),
  );

describe('binding', () => {
  it('handle() gives a pod its node, once', () => {
    const pods = podBench();
    expect(bind(pods, { name: 'p', labels: { l: 'm' } }, { kind: 'Node', name: 'n' })).toBe('201 Status');
    const pod = objectIn(pods.get('p'));
    expect([(pod['spec'] as { nodeName: string }).nodeName, pod.metadata.labels]).toEqual(['n', { l: 'm' }]);
    expect((pod['status'] as { conditions: readonly object[] }).conditions).toMatchObject([
      { type: 'PodScheduled', status: 'True' },
    ]);
    expect(bind(pods, { name: 'p' }, { kind: 'Node', name: 'n' })).toBe(
      '409 Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n"',
    );
  });

  it.each([
    [{ name: 'zz' }, { name: 'n' }, '400 name in URL does not match name in Binding object'],
    [{ name: 'p' }, {}, '500 target.name: Required value'],
    [
      { name: 'p' },
      { kind: 'Foo', name: 'n' },
      '500 target.kind: Unsupported value: "Foo": supported values: "Node", "<empty>"',
    ],
  ])('handle() refuses to bind %j to %j', (metadata, target, expected) => {
    expect(bind(podBench(), metadata, target)).toBe(expected);
  });
});
