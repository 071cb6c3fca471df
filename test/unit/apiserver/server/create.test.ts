import { describe, expect, it } from 'vitest';
import { boxKind, shelfKind } from '../support/permissive-kinds.ts';
import { objectIn, ServerBench, STARTED, said } from '../support/server-bench.ts';

/** Names that a new server generates one after the other. */
const generatedNames = (): readonly string[] => {
  const bench = new ServerBench();
  return [1, 2, 3].map(() => objectIn(bench.create('', { generateName: 'web-' })).metadata.name);
};

// Answers of kube-apiserver 1.36.4 for a custom resource, unless a test states otherwise.
describe('create', () => {
  it('createApiServer() completes metadata and answers 201 when an object is new', () => {
    const bench = new ServerBench();
    const { metadata, ...rest } = objectIn(bench.create('a', { labels: { app: 'x' } }));
    expect(metadata).toMatchObject({
      name: 'a',
      namespace: 'default',
      labels: { app: 'x' },
      creationTimestamp: STARTED,
      generation: 1,
      resourceVersion: bench.server.resourceVersion,
    });
    expect(metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(rest).toEqual({ apiVersion: 'lib.example.com/v1', kind: 'Shelf', spec: { size: 1 } });
  });

  it('createApiServer() records the manager of each field of a new object', () => {
    const { metadata } = objectIn(new ServerBench().create('a', {}, { options: { fieldManager: 'me' } }));
    expect(metadata.managedFields).toEqual([
      {
        manager: 'me',
        operation: 'Update',
        apiVersion: 'lib.example.com/v1',
        time: STARTED,
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { '.': {}, 'f:size': {} } },
      },
    ]);
  });

  it('createApiServer() takes away what only the server sets', () => {
    const meta = {
      uid: 'u',
      creationTimestamp: '2020-01-01T00:00:00Z',
      deletionTimestamp: '2020-01-01T00:00:00Z',
      selfLink: '/x',
    };
    const { metadata } = objectIn(
      new ServerBench().create('a', { ...meta, deletionGracePeriodSeconds: 5, labels: {}, finalizers: [] }),
    );
    expect(Object.keys(metadata).toSorted()).toEqual([
      'creationTimestamp',
      'generation',
      'managedFields',
      'name',
      'namespace',
      'resourceVersion',
      'uid',
    ]);
  });

  it('createApiServer() gives uids that do not depend on other objects', () => {
    const [one, other] = [new ServerBench(), new ServerBench()];
    other.create('b');
    other.create('c');
    expect(objectIn(one.create('a')).metadata.uid).toBe(objectIn(other.create('a')).metadata.uid);
  });

  it('createApiServer() gives another uid when a name is used again', () => {
    const bench = new ServerBench();
    const first = objectIn(bench.create('a')).metadata.uid;
    bench.delete('a');
    expect(objectIn(bench.create('a')).metadata.uid).not.toBe(first);
  });

  it('createApiServer() generates names that differ, the same in every run', () => {
    expect(new Set(generatedNames()).size).toBe(3);
    expect(generatedNames()).toEqual(generatedNames());
    for (const name of generatedNames()) expect(name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  it('createApiServer() generates another name when the first one is taken', () => {
    const bench = new ServerBench();
    const { name } = objectIn(new ServerBench().create('', { generateName: 'web-' })).metadata;
    bench.create(name);
    expect(objectIn(bench.create('', { generateName: 'web-' })).metadata.name).not.toBe(name);
  });

  it('createApiServer() shortens the base of long generated names', () => {
    const { name } = objectIn(new ServerBench().create('', { generateName: 'a'.repeat(80) })).metadata;
    expect(name).toHaveLength(63);
  });

  it.each([
    [
      'no name',
      {},
      '',
      '422 Shelf.lib.example.com "" is invalid: metadata.name: Required value: name or generateName is required',
    ],
    [
      'another namespace',
      { namespace: 'x' },
      'a',
      '400 the namespace of the provided object does not match the namespace sent on the request',
    ],
    [
      'a resource version',
      { resourceVersion: '5' },
      'a',
      '500 resourceVersion should not be set on objects to be created',
    ],
    [
      'a bad name',
      {},
      'Bad_Name',
      `422 Shelf.lib.example.com "Bad_Name" is invalid: metadata.name: Invalid value: "Bad_Name": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'a bad label',
      { labels: { 'a b': 'c' } },
      'a',
      `422 Shelf.lib.example.com "a" is invalid: metadata.labels: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'annotations of 256 KiB and a byte',
      { annotations: { a: 'x'.repeat(256 * 1024) } },
      'a',
      '422 Shelf.lib.example.com "a" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes',
    ],
    [
      'an owner that is an event',
      { ownerReferences: [{ apiVersion: 'v1', kind: 'Event', name: 'n', uid: 'u' }] },
      'a',
      '422 Shelf.lib.example.com "a" is invalid: metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"n","uid":"u"}: /v1, Kind=Event is disallowed from being an owner',
    ],
    [
      'both finalizers of the garbage collector',
      { finalizers: ['orphan', 'foregroundDeletion'] },
      'a',
      '422 Shelf.lib.example.com "a" is invalid: metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
    ],
    [
      'labels of a wrong type',
      { labels: { a: 1 } },
      'a',
      '400 Shelf in version "v1" cannot be handled as a Shelf: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    ],
  ])('createApiServer() refuses %s', (_, meta, name, expected) => {
    const bench = new ServerBench();
    expect(said(bench.create(name, meta))).toBe(expected);
    expect(bench.server.objects(bench.resource)).toEqual([]);
  });

  it('createApiServer() answers 409 when the name is taken, and says so when the other one is terminating', () => {
    const bench = new ServerBench();
    bench.create('a', { finalizers: ['a.b/c'] });
    expect(said(bench.create('a'))).toBe('409 shelves.lib.example.com "a" already exists');
    bench.delete('a');
    expect(said(bench.create('a'))).toBe('409 object is being deleted: shelves.lib.example.com "a" already exists');
  });

  it('createApiServer() answers 404 when there is no such namespace', () => {
    expect(said(new ServerBench().create('a', {}, { namespace: 'nope' }))).toBe('404 namespaces "nope" not found');
  });

  it('createApiServer() drops unknown fields, and refuses them when validation is strict', () => {
    const bench = new ServerBench();
    const body = { ...bench.body('a', { zip: 1 }), foo: 1 };
    const strict = { body, options: { fieldValidation: 'Strict' } } as const;
    expect(said(bench.create('a', {}, strict))).toBe(
      '400 Shelf in version "v1" cannot be handled as a Shelf: strict decoding error: unknown field "foo", unknown field "metadata.zip"',
    );
    expect(objectIn(bench.create('a', {}, { body }))).not.toHaveProperty('foo');
  });

  it('createApiServer() refuses what a text says twice when validation is strict', () => {
    const textProblems = ['duplicate field "spec.size"'];
    const said400 = (kind: typeof boxKind): string => {
      const bench = new ServerBench(kind);
      const body = { ...bench.body('a'), foo: 1 };
      expect(bench.create('a', {}, { body, textProblems, options: { dryRun: true } }).code).toBe(201);
      return said(bench.create('a', {}, { body, textProblems, options: { fieldValidation: 'Strict' } }));
    };
    expect(said400(boxKind)).toMatch(/: strict decoding error: unknown field "foo", duplicate field "spec.size"$/);
    expect(said400({ ...shelfKind, isCustom: true })).toMatch(
      /: strict decoding error: duplicate field "spec.size", unknown field "foo"$/,
    );
  });

  it.each([
    [
      undefined,
      "400 the object provided is unrecognized (must be of type Shelf): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)",
    ],
    [
      { metadata: { name: 'a' } },
      `400 the object provided is unrecognized (must be of type Shelf): Object 'Kind' is missing in '{"metadata":{"name":"a"}}' ({"metadata":{"name":"a"}})`,
    ],
    [
      { kind: { toString: 0 }, metadata: { name: 'a' } },
      `400 the object provided is unrecognized (must be of type Shelf): couldn't get version/kind; json parse error: json: cannot unmarshal object into Go struct field .kind of type string ({"kind":{"toString":0},"metada ...)`,
    ],
    [
      { apiVersion: 'v2', kind: 'Shelf', metadata: { name: 'a' } },
      '400 the API version in the data (v2) does not match the expected API version (lib.example.com/v1)',
    ],
  ])('createApiServer() refuses the body %j', (body, expected) => {
    expect(said(new ServerBench().create('a', {}, { body }))).toBe(expected);
  });

  it('createApiServer() takes bodies of built-in kinds that do not say what they are, and no others', () => {
    const bench = new ServerBench(boxKind);
    expect(bench.create('a', {}, { body: { metadata: { name: 'a' } } }).body).toMatchObject({
      apiVersion: 'v1',
      kind: 'Box',
    });
    expect(said(bench.create('b', {}, { body: { ...bench.body('b'), kind: 'Foo' } }))).toBe(
      '400 Foo in version "v1" cannot be handled as a Box: no kind "Foo" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    );
  });

  it('createApiServer() stores nothing in a dry run, but answers as if', () => {
    const bench = new ServerBench();
    const before = bench.server.resourceVersion;
    const { metadata } = objectIn(bench.create('a', {}, { options: { dryRun: true } }));
    expect(metadata.uid).toBe(objectIn(new ServerBench().create('a')).metadata.uid);
    expect(metadata).not.toHaveProperty('resourceVersion');
    expect([bench.server.resourceVersion, said(bench.get('a'))]).toEqual([
      before,
      '404 shelves.lib.example.com "a" not found',
    ]);
  });

  it('createApiServer() keeps an owner once when it is there twice', () => {
    const owner = { apiVersion: 'v1', kind: 'X', name: 'n', uid: 'u' };
    expect(
      objectIn(new ServerBench().create('a', { ownerReferences: [owner, { ...owner }] })).metadata.ownerReferences,
    ).toEqual([owner]);
  });

  it('createApiServer() stores a copy that callers cannot change', () => {
    const bench = new ServerBench();
    const spec = { list: [{ a: 1 }] };
    bench.create('a', {}, { body: { ...bench.body('a'), spec } });
    spec.list.push({ a: 2 });
    const stored = objectIn(bench.get('a'));
    expect(stored['spec']).toEqual({ list: [{ a: 1 }] });
    expect(Object.isFrozen(stored) && Object.isFrozen((stored['spec'] as typeof spec).list[0])).toBe(true);
  });
});
