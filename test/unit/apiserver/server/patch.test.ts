import { describe, expect, it } from 'vitest';
import type { PatchType, RequestOptions, ServerResponse } from '#lib/apiserver/machinery/request.ts';
import type { Strategy } from '#lib/apiserver/machinery/served-kind.ts';
import { badRequest } from '#lib/apiserver/machinery/status.ts';
import { boxKind } from '../support/permissive-kinds.ts';
import { objectIn, ServerBench, said } from '../support/server-bench.ts';

const REJECTED = '422 the server rejected our request due to an error in our request';

const labels = (bench: ServerBench): unknown => objectIn(bench.get('a')).metadata.labels;

/** A bench with an object `a` that has the label `j`. */
const benchWithLabel = (): ServerBench => {
  const bench = new ServerBench();
  bench.create('a', { labels: { j: '1' } });
  return bench;
};

// Answers of kube-apiserver 1.36.4.
describe('merge patch', () => {
  it('createApiServer() merges objects, replaces lists, and removes what is null', () => {
    const bench = new ServerBench();
    bench.create('a', {}, { body: { ...bench.body('a'), spec: { a: { b: 1, c: 2 }, list: [1, 2], gone: 1 } } });
    const patch = { spec: { a: { b: null, d: { e: null, f: 3 } }, list: [{ x: null, y: 1 }], gone: null } };
    expect(objectIn(bench.merge('a', patch))['spec']).toEqual({ a: { c: 2, d: { f: 3 } }, list: [{ y: 1 }] });
  });

  it('createApiServer() refuses another version than the latest', () => {
    const bench = benchWithLabel();
    expect(said(bench.merge('a', { metadata: { resourceVersion: '1', labels: { n: '1' } } }))).toMatch(
      /^409 Operation/,
    );
  });

  it.each([
    [[], '400 error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'],
    ['x', '400 error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}'],
    [null, '400 Invalid JSON Patch'],
    [{ metadata: { name: 'zz' } }, '400 the name of the object (zz) does not match the name on the URL (a)'],
    [{ metadata: null }, '400 the name of the object (a based on URL) was undeterminable: name must be provided'],
  ])('createApiServer() refuses the patch %j', (patch, expected) => {
    const bench = benchWithLabel();
    expect(said(bench.merge('a', patch))).toBe(expected);
  });

  it('createApiServer() refuses unknown fields when validation is strict', () => {
    const bench = benchWithLabel();
    const { code, body } = bench.merge('a', { foo: 1 }, { options: { fieldValidation: 'Strict' } });
    const [cause] = (body['details'] as { causes: readonly { message: string; field: string }[] }).causes;
    expect([code, cause?.field, body['reason']]).toEqual([422, 'patch', 'Invalid']);
    expect(cause?.message).toMatch(/^Invalid value: "\{.*\}": strict decoding error: unknown field "foo"$/);
    expect(Object.keys(body['details'] as object)).toEqual(['causes']);
  });

  it('createApiServer() refuses patches that say something twice when validation is strict', () => {
    const textProblems = ['duplicate field "a"'];
    const strict = { textProblems, options: { fieldValidation: 'Strict', fieldManager: 'x' } } as const;
    const bench = benchWithLabel();
    expect(said(bench.merge('a', {}, strict))).toMatch(/strict decoding error: duplicate field "a"$/);
    expect(said(bench.json('a', [], strict))).toMatch(/strict decoding error: json patch duplicate field "a"$/);
    const request = { verb: 'patch', patchType: 'apply', namespace: 'default', name: 'a' } as const;
    const applied = { ...request, ...strict, resource: bench.resource, body: bench.body('a', {}, {}) };
    expect(said(bench.server.handle(applied))).toBe(
      '400 error strict decoding YAML: error converting YAML to JSON: duplicate field "a"',
    );
    expect(bench.server.handle({ ...applied, options: { fieldManager: 'x' } }).code).toBe(200);
  });

  it('createApiServer() answers 404 when there is nothing to patch', () => {
    expect(said(new ServerBench().merge('missing', {}))).toBe('404 shelves.lib.example.com "missing" not found');
  });

  it('createApiServer() takes force for an apply only', () => {
    expect(said(benchWithLabel().merge('a', {}, { options: { force: true } }))).toBe(
      '422 PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    );
  });
});

/** Adds an element to the list of an object `a`. */
const addToList = (path: string): ServerResponse => {
  const bench = new ServerBench();
  bench.create('a', {}, { body: { ...bench.body('a'), spec: { list: [1, 2] } } });
  return bench.json('a', [{ op: 'add', path, value: 'x' }]);
};

describe('JSON patch', () => {
  it.each([
    [[{ op: 'add', path: '/metadata/labels/k', value: '2' }], { j: '1', k: '2' }],
    [[{ op: 'add', path: '/metadata/labels/a~1b', value: '2' }], { j: '1', 'a/b': '2' }],
    [[{ op: 'replace', path: '/metadata/labels/j', value: '2' }], { j: '2' }],
    [[{ op: 'replace', path: '/metadata/labels/new', value: '2' }], { j: '1', new: '2' }],
    [[{ op: 'remove', path: '/metadata/labels/j' }], undefined],
    [[{ op: 'move', from: '/metadata/labels/j', path: '/metadata/labels/k' }], { k: '1' }],
    [[{ op: 'copy', from: '/metadata/labels/j', path: '/metadata/labels/k' }], { j: '1', k: '1' }],
    [[{ op: 'copy', from: '/metadata/labels/none', path: '/metadata/labels/k' }], { j: '1', k: '' }],
    [[{ op: 'test', path: '/metadata/labels', value: { j: '1' } }], { j: '1' }],
    [[{ op: 'test', path: '/metadata/none', value: null }], { j: '1' }],
    [[{ op: 'add', path: '/metadata/labels/k' }], { j: '1', k: '' }],
  ])('createApiServer() applies %j', (patch, expected) => {
    const bench = benchWithLabel();
    expect(bench.json('a', patch).code).toBe(200);
    expect(labels(bench)).toEqual(expected);
  });

  it.each([
    { copies: 'double the object', path: (index: number) => `/spec/${index}` },
    { copies: 'double its depth', path: (index: number) => `/spec${'/a'.repeat(2 ** Math.min(index, 14))}` },
  ])('createApiServer() rejects a patch whose copies $copies each time', ({ path }) => {
    const add = { op: 'add', path: '/spec', value: {} };
    const copies = Array.from({ length: 30 }, (_, index) => ({ op: 'copy', from: '/spec', path: path(index) }));
    expect(said(benchWithLabel().json('a', [add, ...copies]))).toBe(REJECTED);
  });

  it('createApiServer() rejects a patch whose additions make the object too deep', () => {
    const additions = Array.from({ length: 1001 }, (_, depth) => ({
      op: 'add',
      path: `/spec${'/a'.repeat(depth)}`,
      value: {},
    }));
    expect(said(benchWithLabel().json('a', additions))).toBe(REJECTED);
  });

  it.each([
    [[{ op: 'test', path: '/metadata/labels/j', value: '2' }]],
    [[{ op: 'test', path: '/metadata/none/j', value: '2' }]],
    [[{ op: 'remove', path: '/metadata/none' }]],
    [[{ op: 'add', path: '/x/y/z', value: 1 }]],
    [[{ op: 'add', path: '/kind/foo', value: 1 }]],
    [[{ op: 'move', from: '/metadata/labels/none', path: '/metadata/labels/k' }]],
    [[{ op: 'foo', path: '/x' }]],
    [[{ path: '/x' }]],
    [[{ op: 'add', value: 1 }]],
    [[{ op: 'add', path: '', value: 1 }]],
  ])('createApiServer() rejects %j and changes nothing', (patch) => {
    const bench = benchWithLabel();
    const before = bench.get('a').body;
    expect(said(bench.json('a', [{ op: 'add', path: '/metadata/labels/first', value: '1' }, ...patch]))).toBe(REJECTED);
    expect(bench.get('a').body).toBe(before);
  });

  it.each([
    ['/spec/list/-', [1, 2, 'x']],
    ['/spec/list/0', ['x', 1, 2]],
    ['/spec/list/2', [1, 2, 'x']],
    ['/spec/list/-1', [1, 2, 'x']],
  ])('createApiServer() adds to lists at %s', (path, expected) => {
    expect(objectIn(addToList(path))['spec']).toEqual({ list: expected });
  });

  it.each(['/spec/list/3', '/spec/list/x', '/spec/list/-4'])(
    'createApiServer() adds nothing to lists at %s',
    (path) => {
      expect(said(addToList(path))).toBe(REJECTED);
    },
  );

  it.each([
    [
      { op: 'add' },
      '400 error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    ],
    [[1], '400 error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp'],
    [
      Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/x', value: null })),
      '413 Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    ],
  ])('createApiServer() refuses what is no JSON patch', (patch, expected) => {
    expect(said(benchWithLabel().json('a', patch))).toBe(expected);
  });
});

describe('apply', () => {
  it('createApiServer() creates with 201, and answers 200 when nothing is left to do', () => {
    const bench = new ServerBench();
    const created = bench.apply('a', bench.body('a'));
    expect(created.code).toBe(201);
    expect(objectIn(created).metadata.managedFields?.map(({ operation }) => operation)).toEqual(['Apply']);
    expect(bench.apply('a', bench.body('a'))).toEqual({ code: 200, body: created.body });
  });

  it('createApiServer() answers 409 when others own a field, unless forced', () => {
    const bench = new ServerBench();
    bench.create('a');
    const config = { ...bench.body('a'), spec: { size: 2 } };
    expect(bench.apply('a', config).body).toMatchObject({ reason: 'Conflict', code: 409 });
    expect(objectIn(bench.apply('a', config, { force: true }))['spec']).toEqual({ size: 2 });
  });

  it.each([
    [
      { fieldManager: '' },
      {},
      '422 PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    ],
    [
      {},
      { uid: 'abc' },
      '409 Operation cannot be fulfilled on shelves.lib.example.com "a": uid mismatch: the provided object specified uid abc, and no existing object was found',
    ],
    [{}, { name: 'b' }, '400 the name of the object (b) does not match the name on the URL (a)'],
  ])('createApiServer() refuses %j with the metadata %j', (options, meta, expected) => {
    const bench = new ServerBench();
    expect(said(bench.apply('a', bench.body('a', meta), options))).toBe(expected);
  });

  it('createApiServer() answers 404 when the status of nothing is applied', () => {
    const bench = new ServerBench();
    const request = { verb: 'patch', patchType: 'apply', resource: bench.resource, namespace: 'default' } as const;
    const answer = bench.server.handle({
      ...request,
      name: 'a',
      subresource: 'status',
      options: { fieldManager: 'm' },
      body: bench.body('a'),
    });
    expect(said(answer)).toBe('404 shelves.lib.example.com "a" not found');
  });
});

// Answers of kube-apiserver 1.36.4.
describe('what an apply made', () => {
  it('createApiServer() keeps selfLink only in the response to a dry run', () => {
    const bench = new ServerBench();
    bench.create('a');
    const body = bench.body('a', { selfLink: '/x' });
    const selfLinkOf = (options: RequestOptions) =>
      Reflect.get(objectIn(bench.apply('a', body, options)).metadata, 'selfLink');
    expect([selfLinkOf({ dryRun: true }), selfLinkOf({})]).toEqual(['/x', undefined]);
  });

  it('createApiServer() leaves metadata that says nothing out of custom resources', () => {
    const bench = new ServerBench();
    const { metadata } = objectIn(bench.apply('a', bench.body('a', { labels: {}, finalizers: [], selfLink: '/x' })));
    expect(Object.keys(metadata).filter((name) => ['labels', 'finalizers', 'selfLink'].includes(name))).toEqual([]);
  });

  it.each([
    [true, '7'],
    [false, '101'],
  ])('createApiServer() answers the version of the configuration in a dry run (%j)', (dryRun, expected) => {
    const bench = new ServerBench();
    const answer = bench.apply('a', bench.body('a', { resourceVersion: '7' }), { dryRun });
    expect(objectIn(answer).metadata.resourceVersion).toBe(expected);
  });

  it.each([
    ['quantities must match', 'quantities must match'],
    ['json: cannot unmarshal', 'error decoding from json: json: cannot unmarshal'],
  ])('createApiServer() answers 500 when a built-in kind cannot read it: %s', (problem, expected) => {
    const decode: Strategy['decode'] = (body, version) => {
      if ('data' in body) throw badRequest(problem);
      return boxKind.strategy.decode(body, version);
    };
    const bench = new ServerBench(boxKind, { kinds: [{ ...boxKind, strategy: { ...boxKind.strategy, decode } }] });
    expect(said(bench.apply('a', bench.body('a', {}, { data: {} })))).toBe(
      `500 failed to convert new object (/a; /v1, Kind=Box) to proper version: unable to convert unstructured object to /v1, Kind=Box: ${expected}`,
    );
  });
});

const send = (bench: ServerBench, patchType?: PatchType): string =>
  said(
    bench.server.handle({
      verb: 'patch',
      resource: bench.resource,
      namespace: 'default',
      name: 'a',
      body: {},
      ...(patchType && { patchType }),
    }),
  );

describe('other patches', () => {
  it('createApiServer() takes strategic merge patches, of custom resources none', () => {
    expect(send(new ServerBench(boxKind), 'strategic')).toBe('404 boxes "a" not found');
    expect(send(new ServerBench(), 'strategic')).toBe(
      '415 the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    );
  });

  it('createApiServer() answers 415 when a patch has no type', () => {
    expect(send(new ServerBench(boxKind))).toBe('415 415: Unsupported Media Type');
  });
});
