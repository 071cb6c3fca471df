import { describe, expect, it } from 'vitest';
import { builtinKinds } from '#lib/apiserver/builtin/builtin-kinds.ts';
import type { ServerResponse } from '#lib/apiserver/machinery/request.ts';
import type { ServedKind } from '#lib/apiserver/machinery/served-kind.ts';
import type { JsonObject } from '#lib/json.ts';
import { objectIn, ServerBench, said } from '#test/unit/apiserver/support/server-bench.ts';

const scale = (replicas: unknown, meta: object = {}): JsonObject => ({
  kind: 'Scale',
  apiVersion: 'autoscaling/v1',
  metadata: { name: 'a', ...meta },
  spec: { replicas },
});

/** A bench with a shelf of this many replicas. */
const scaledBench = (spec: object = { replicas: 1 }): ServerBench => {
  const bench = new ServerBench();
  bench.create('a', {}, { body: bench.body('a', {}, { spec }) });
  bench.merge('a', { status: { replicas: 4, selector: 'app=x' } }, { subresource: 'status' });
  return bench;
};

/** A bench with a Deployment. */
const deploymentBench = (): ServerBench => {
  const kind = builtinKinds.find(({ plural }) => plural === 'deployments') as ServedKind;
  const bench = new ServerBench(kind, { kinds: builtinKinds });
  const labels = { app: 'x' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  bench.create('a', {}, { body: bench.body('a', {}, { spec }) });
  return bench;
};

const get = (bench: ServerBench): ServerResponse =>
  bench.server.handle({ verb: 'get', resource: bench.resource, namespace: 'default', name: 'a', subresource: 'scale' });

const apply = (bench: ServerBench, body: JsonObject): ServerResponse =>
  bench.server.handle({
    verb: 'patch',
    patchType: 'apply',
    resource: bench.resource,
    namespace: 'default',
    name: 'a',
    subresource: 'scale',
    options: { fieldManager: 'm', force: true },
    body,
  });

const put = (bench: ServerBench, body: unknown): ServerResponse => bench.update('a', body, { subresource: 'scale' });

// Answers of kube-apiserver 1.36.4 for a custom resource, unless a test states otherwise.
describe('scale', () => {
  it('handle() shows an object as a scale', () => {
    const bench = scaledBench();
    const { uid, resourceVersion, creationTimestamp } = objectIn(bench.get('a')).metadata;
    expect(get(bench).body).toEqual({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'a', namespace: 'default', uid, resourceVersion, creationTimestamp },
      spec: { replicas: 1 },
      status: { replicas: 4, selector: 'app=x' },
    });
  });

  it('handle() changes the replicas, unconditionally or of a version', () => {
    const bench = scaledBench();
    const { resourceVersion } = objectIn(bench.get('a')).metadata;
    expect(put(bench, scale(5, { resourceVersion })).body['spec']).toEqual({ replicas: 5 });
    expect(put(bench, scale(6)).body['spec']).toEqual({ replicas: 6 });
    expect(said(put(bench, scale(7, { resourceVersion })))).toBe(
      '409 Operation cannot be fulfilled on shelves.lib.example.com "a": the object has been modified; please apply your changes to the latest version and try again',
    );
    const { metadata, ...rest } = objectIn(bench.get('a'));
    expect([rest['spec'], metadata.generation]).toEqual([{ replicas: 6 }, 3]);
  });

  it.each<[unknown, string]>([
    [scale(1, { name: 'b' }), '400 the name of the object (b) does not match the name on the URL (a)'],
    [scale(2 ** 31), '400 no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"'],
    [scale('x'), '400 no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"'],
    [
      { ...scale(1), kind: 'Foo' },
      '400 no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"',
    ],
  ])('handle() refuses %j', (body, expected) => {
    expect(said(put(scaledBench(), body))).toBe(expected);
  });

  it.each<[unknown, string]>([
    [
      { kind: { toString: 0 } },
      `400 the object provided is unrecognized (must be of type Scale): couldn't get version/kind; json parse error: json: cannot unmarshal object into Go struct field .kind of type string ({"kind":{"toString":0}})`,
    ],
    [
      { kind: 'Foo' },
      '400 Foo in version "v1" cannot be handled as a Scale: no kind "Foo" is registered for version "autoscaling/v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
  ])('handle() refuses the scale %j of a Deployment', (body, expected) => {
    expect(said(put(deploymentBench(), body))).toBe(expected);
  });

  it.each([3_000_000_000, -(2 ** 31) - 1, 1.5, 'x'])('handle() refuses a patch with %j replicas', (replicas) => {
    const answer = scaledBench().merge('a', { spec: { replicas } }, { subresource: 'scale' });
    const what = typeof replicas === 'number' ? `number ${replicas}` : 'string';
    expect(said(answer)).toMatch(
      /^422 {2}"" is invalid: patch: Invalid value: "\{\\"apiVersion\\":\\"autoscaling\/v1\\"/,
    );
    expect(said(answer)).toContain(
      `: json: cannot unmarshal ${what} into Go struct field ScaleSpec.spec.replicas of type int32`,
    );
  });

  it('handle() applies no scale of a custom resource', () => {
    const bench = scaledBench();
    expect(said(apply(bench, scale(2)))).toBe(
      '500 failed to convert new object (default/a; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1',
    );
    expect(get(bench).body['spec']).toEqual({ replicas: 1 });
  });

  it('handle() patches the replicas, also where there are none yet', () => {
    const merged = scaledBench().merge('a', { spec: { replicas: 2 } }, { subresource: 'scale' });
    expect(merged.body).toMatchObject({ kind: 'Scale', spec: { replicas: 2 } });
    const replace = [{ op: 'replace', path: '/spec/replicas', value: 4 }];
    expect(scaledBench().json('a', replace, { subresource: 'scale' }).body['spec']).toEqual({ replicas: 4 });
    const bench = scaledBench({});
    expect(said(get(bench))).toBe(
      '500 Internal error occurred: the spec replicas field ".spec.replicas" does not exist',
    );
    expect(said(bench.merge('a', {}, { subresource: 'scale' }))).toBe(
      '400 the spec replicas field ".spec.replicas" cannot be empty',
    );
    expect(bench.merge('a', { spec: { replicas: 3 } }, { subresource: 'scale' }).body['spec']).toEqual({ replicas: 3 });
  });

  it('handle() keeps the version when a patch changes nothing', () => {
    const bench = scaledBench();
    const before = objectIn(bench.get('a')).metadata.resourceVersion;
    bench.merge('a', { spec: { replicas: 1 } }, { subresource: 'scale' });
    expect(objectIn(bench.get('a'))['spec']).toEqual({ replicas: 1 });
    expect(Number(objectIn(bench.get('a')).metadata.resourceVersion) - Number(before)).toBeLessThanOrEqual(1);
  });

  it('handle() serves scale and status of kinds that have them only', () => {
    const bench = scaledBench();
    const request = { resource: bench.resource, namespace: 'default', name: 'a', subresource: 'scale' } as const;
    expect(said(bench.server.handle({ ...request, verb: 'create', body: {} }))).toBe(
      '405 create is not supported on resources of kind "shelves.lib.example.com"',
    );
  });

  it('handle() records the manager that scaled a Deployment', () => {
    const bench = deploymentBench();
    expect(get(bench).body['status']).toEqual({ replicas: 0, selector: 'app=x' });
    bench.update('a', scale(3), { subresource: 'scale', options: { fieldManager: 'hpa' } });
    const entry = objectIn(bench.get('a')).metadata.managedFields?.find(({ manager }) => manager === 'hpa');
    expect(entry).toMatchObject({ apiVersion: 'apps/v1', subresource: 'scale' });
    expect(entry?.fieldsV1).toEqual({ 'f:spec': { 'f:replicas': {} } });
    expect(said(put(bench, scale(-1)))).toBe(
      '422 Scale.autoscaling "a" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    );
    expect(said(put(bench, scale(3_000_000_000)))).toBe(
      '400 Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal number 3000000000 into Go struct field ScaleSpec.spec.replicas of type int32',
    );
    expect(said(apply(bench, scale(3_000_000_000)))).toBe(
      '422 Scale.autoscaling "a" is invalid: spec.replicas: Invalid value: -1294967296: must be greater than or equal to 0',
    );
  });
});
